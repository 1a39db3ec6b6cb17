"""Headgate runs nginx as a Kubernetes ingress controller, or from a folder of manifests."""

__version__ = "0.1.0"
