"""Makes program.pkg with PyInstaller's own writers: what `pyinstaller -F` appends to a program, without the program.

    python3.11 -m pip install pyinstaller==6.22.3
    python3.11 tests/python/data/make_pyinstaller.py

A script, a PYZ with a module and a package, a zip archive as base_library.zip is one, and a runtime option.
"""

import os
import py_compile
import tempfile
import zipfile

SOURCES = {
    "main.py": "import helper\nfrom pkg import inner\n\nprint(helper.double(3), inner.triple(4))\n",
    "helper.py": "def double(x):\n    return x * 2\n",
    "pkg/__init__.py": "NAME = 'pkg'\n",
    "pkg/inner.py": "def triple(x):\n    return x * 3\n",
    "library.py": "def in_zip():\n    return 'zipped'\n",
}

if __name__ == "__main__":
    from PyInstaller.archive.writers import CArchiveWriter, ZlibArchiveWriter

    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program.pkg")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("pkg")
        for name, text in SOURCES.items():
            with open(name, "w") as f:
                f.write(text)
        codes = {name[:-3]: compile(text, name, "exec") for name, text in SOURCES.items()}
        modules = [("helper", "helper.py"), ("pkg", "pkg/__init__.py"), ("pkg.inner", "pkg/inner.py")]
        pyz = {name: codes[path[:-3]] for name, path in modules}
        ZlibArchiveWriter("PYZ.pyz", [(name, path, "PYMODULE") for name, path in modules], code_dict=pyz)
        with zipfile.ZipFile("base_library.zip", "w") as archive:
            archive.write(py_compile.compile("library.py", "library.pyc"), "library.pyc")
        entries = [
            ("pyi-contents-directory _internal", "", False, "o"),
            ("PYZ.pyz", "PYZ.pyz", False, "z"),
            ("main", "main.py", True, "s"),
            ("base_library.zip", "base_library.zip", True, "x"),
        ]
        CArchiveWriter(target, entries, "libpython3.11.so.1.0")
