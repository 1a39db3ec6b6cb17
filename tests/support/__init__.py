"""What the nginx tier stands on: ports, certificates, backends, manifests, a client, and a running `headgate serve`."""
