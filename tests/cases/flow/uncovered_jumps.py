# versions: 3.7-
"""Loops and protected regions that start or end together: not every jump between them is covered by the table."""


def test_read_through(self):
    for tarinfo in self.tar:
        if not tarinfo.isreg():
            continue
        with self.tar.extractfile(tarinfo) as fobj:
            while True:
                try:
                    buf = fobj.read(512)
                except E:
                    self.fail('x')
                if not buf:
                    break
def race(self):
    deadline = time.time() + 5
    with subprocess.Popen(a) as proc:
        while time.time() < deadline:
            try:
                os.stat(filename)
            except FileNotFoundError as e:
                assert e.winerror == 2
        z
def run(self):
    self.test_index = 0
    try:
        while True:
            item = self._get_result()
            if item is None:
                break
            result = self._process_result(item)
            if result.must_stop(fail_fast, fail_env_changed):
                break
    except KeyboardInterrupt:
        print()
    finally:
        self.stop_workers()

def add(self, message):
    f = open(new_path)
    closed = False
    try:
        if self._locked:
            _lock_file(f)
        try:
            try:
                self._dump_message(message, f)
            except BaseException:
                if self._locked:
                    _unlock_file(f)
                _sync_close(f)
                closed = True
                os.remove(new_path)
                raise
            if isinstance(message, MHMessage):
                self._dump_sequences(message, new_key)
        finally:
            if self._locked:
                _unlock_file(f)
    finally:
        if not closed:
            _sync_close(f)
    return new_key

def find_function(funcname, filename):
    with fp:
        for lineno, line in fp:
            funcdef += line
            if funcdef:
                try:
                    code = compile(funcdef)
                except SyntaxError:
                    continue
                return code
    return None
