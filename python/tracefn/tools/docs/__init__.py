"""`tensorflow.tools.docs`: marks for generators of documentation."""

from tracefn.tools.docs import doc_controls

__all__ = ["doc_controls"]
