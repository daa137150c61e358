"""`tensorflow.python.pywrap_tfe`: questions about devices, which libraries ask there."""

__all__ = ["TF_ListPluggablePhysicalDevices"]


def TF_ListPluggablePhysicalDevices() -> list:  # TensorFlow's name
    """The devices that plug-ins add: none."""
    return []
