# versions: 3.7-
"""What follows an endless loop that is left out of a statement inside it."""


def out_of_with(self):
    counter = 0
    while True:
        counter += 1
        with m():
            counter += 10
            break
        counter += 100
    self.assertEqual(counter, 11)


def out_of_except(self):
    while True:
        try:
            self.send(None)
        except StopIteration:
            break
    self.assertEqual(counter, 11)


def value_out_of_except(coro):
    buffer = []
    result = None
    while True:
        try:
            buffer.append(coro.send(None))
        except StopIteration as ex:
            result = ex.args[0] if ex.args else None
            break
    return buffer, result


def out_of_else(sock):
    while True:
        try:
            data = sock.read(4)
        except Want:
            incoming.write(sock.recv(16384))
        else:
            break
    check(data, b"ping")
    sock.write(b"pong")
    with raises(Want):
        sock.unwrap()
    while True:
        try:
            chunk = len(sock.read(16384))
            data_len += chunk
        except Want:
            incoming.write(sock.recv(16384))
        except Zero:
            break
    check(data_len, CHUNK)
    sock.close()


def after_empty(self, pgo):
    while True:
        try:
            result = self.output.get(timeout=3)
            if isinstance(result, Exited):
                self.count -= 1
                continue
            return result
        except Empty:
            pass
        if not pgo:
            running = get(self.workers)
            if running:
                self.log(running)
    return None
