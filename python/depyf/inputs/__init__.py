"""What a user may hand in, and the code objects that it leads to. Nothing of it is run or imported.

live.py: objects of this interpreter; bytecode.py: .pyc files and marshal data, with or without a header;
entries.py: paths, folders and archives; zip_archive.py, carchive.py and pyz.py: one kind of container each.
"""

from depyf.inputs.live import code_of, is_module_code

__all__ = ["code_of", "is_module_code"]
