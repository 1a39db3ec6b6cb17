"""Lease (coordination.k8s.io/v1): who may write at the moment. Only the fields by which that is decided."""

from msgspec import Struct, field


class LeaseMeta(Struct, frozen=True, gc=False, rename="camel"):
    resource_version: str = ""


class LeaseSpec(Struct, frozen=True, gc=False, rename="camel"):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    renew_time: str | None = None  # by the clock of the holder: it tells that something changed, never when
    acquire_time: str | None = None
    lease_transitions: int | None = None


class Lease(Struct, frozen=True, gc=False, rename="camel"):
    meta: LeaseMeta = field(name="metadata")
    spec: LeaseSpec = LeaseSpec()
