"""What goes wrong."""


class Error(RuntimeError):
    """What went wrong and what to do about it, in words.

    kind is "config" (an option or argument is wrong), "data" (a file or a name is missing or malformed), "io" (the system
    refused), "shape", "numeric", or "unavailable" (this machine, build or model does not have it).
    """

    kind: str = ""


Error.__module__ = "hasa"  # where users find it
