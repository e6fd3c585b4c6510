"""One module for each command, imported when it is called (:mod:`shopmirror.lazy`)."""
