"""The cluster tier: Headgate's Kubernetes side against a real kube-apiserver and etcd, in a network namespace of its own.

`python -m tests.cluster` builds what is missing, enters the namespace and runs pytest there.
"""
