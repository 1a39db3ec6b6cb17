"""The world's objects in, `Snapshot` out. Sources with one face: `files` watches a folder of manifests."""
