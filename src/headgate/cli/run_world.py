"""Build what `headgate run` runs: flags and what was found in the cluster in, a `Member` of the controller's replicas out."""

import logging
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from headgate.api import Malformed, Ref, Secret
from headgate.cli.run_flags import RunFlags
from headgate.cli.run_settings import named_secrets, run_layout, run_settings
from headgate.cli.run_start import Named
from headgate.cluster.kube.client import Client
from headgate.cluster.kube.keepsake import Keepsake
from headgate.cluster.kube.lease import Leader
from headgate.cluster.kube.source import KubeSource, Watching
from headgate.cluster.kube.writer import Writer
from headgate.cluster.store import Store
from headgate.controller.journal import Journal
from headgate.controller.loop import Loop, Passed, World
from headgate.controller.queue import WorkQueue
from headgate.controller.reporter import Reporter
from headgate.controller.telling import Ourselves, Telling
from headgate.model.certificate import Certificate
from headgate.model.layout import Layout
from headgate.nginx import Binary, Nginx, worker_user
from headgate.observability.log import tell
from headgate.observability.metrics import Metrics
from headgate.observability.presented import Presented
from headgate.translate.secrets import certificate_of

SHARED = "headgate-accepted"  # the ConfigMap in which replicas share accepted versions


class Place(Struct, frozen=True):
    """Where we are in the cluster."""

    namespace: str
    name: str
    pod: Ref | None  # None outside a cluster, where there is none


class Member:
    """One replica: everything that it is made of, and the few things that change."""

    def __init__(self, flags: RunFlags, client: Client, place: Place, binary: Binary, named: Named) -> None:
        self.client, self.place, self.flags = client, place, flags
        self.layout = run_layout(flags, user=worker_user())
        self.settings = run_settings(flags, binary.capabilities)
        self.store = Store()
        self.queue = WorkQueue(
            quiet=flags.quiet_period.milliseconds / 1000, ceiling=flags.reload_ceiling.milliseconds / 1000
        )
        self.metrics = metrics_by(flags, self.layout)
        self.nginx = Nginx(
            self.layout,
            binary=binary.path,
            listeners=(*self.settings.listeners, *self.settings.default_listeners),
            timeout=flags.nginx_reload_timeout.milliseconds / 1000,
        )
        self.source = KubeSource(client, self.store, watching_by(flags, place))
        self.leader = self._leader() if flags.enable_leader_election else None
        self.writer = Writer(
            client,
            may_write=self.may_write,
            shown=self.source.status_of,
            wrote=self.source.wrote,
            instance=place.name,
        )
        self.keepsake = Keepsake(client, Ref("ConfigMap", place.namespace, SHARED))
        self.telling = self._telling(named)
        self.loop = Loop(self._world())
        self.presented: Presented | None = None
        self._presented_from: object = None
        self.synced = False
        self.metrics.follow_master(lambda: self.nginx.pid)
        self.metrics.follow_queue(lambda: self.queue.depth, lambda: self.queue.age)
        self.metrics.follow_writer(lambda: self.writer.pending, lambda: asdict(self.writer.progress))
        if self.leader is not None:
            leader = self.leader
            self.metrics.follow_lease(lambda: leader.latest)
        self.metrics.follow_watches(lambda: {kind: asdict(each) for kind, each in self.source.counts().items()})

    def may_write(self) -> bool:
        return self.leader is None or self.leader.leading

    def _leader(self) -> Leader:
        name = self.flags.leader_election_lock_name
        return Leader(self.client, self.place.namespace, name, identity=self.place.name, changed=self._elected)

    def _elected(self, is_leader: bool) -> None:  # noqa: FBT001 - the callback's one word
        self.metrics.leading(is_leader=is_leader)
        if is_leader:
            self.telling.elected()

    def _telling(self, named: Named) -> Telling:
        flags, place = self.flags, self.place
        service = Ref("Service", place.namespace, flags.external_service) if flags.external_service else None
        special = (flags.default_server_tls_secret, flags.wildcard_tls_secret)
        ourselves = Ourselves(
            pod=place.pod,
            pod_uid=named.pod_uid,
            external_service=service,
            configmap=flags.nginx_configmaps,
            special=tuple(ref for ref in special if ref is not None),
            statuses=flags.report_ingress_status,
        )
        return Telling(
            ourselves,
            may_write=self.may_write,
            shown=self.source.status_of,
            put=self.writer.put,
            share=self.keepsake.put,
        )

    def _world(self) -> World:
        return World(
            snapshot=self.store.snapshot,
            source_findings=self.source.findings,
            queue=self.queue,
            nginx=self.nginx,
            settings=self.settings,
            layout=self.layout,
            journal=Journal(Path(self.layout.run) / "accepted.log"),
            reporter=Reporter(),
            metrics=self.metrics,
            observer=self._passed,
        )

    def _passed(self, passed: Passed) -> None:
        self.telling.passed(passed, self.loop.held)
        self.source.need(self.loop.held.secrets(standing_in=True))
        self._renew(passed)

    def _renew(self, passed: Passed) -> None:
        """A new pair for /metrics is taken up as it comes; after a bad one the old one stays."""
        ref = self.flags.prometheus_tls_secret
        found = passed.snapshot.get(ref) if ref is not None else None
        if self.presented is None or not isinstance(found, Secret | Malformed) or found is self._presented_from:
            return
        self._presented_from = found
        pair = certificate_of(found)
        if isinstance(pair, Certificate):
            self.presented.replace(pair)
        else:
            tell(f"{ref}: {pair.field}: {pair.message}; /metrics goes on with the pair before", logging.WARNING, ref)


def metrics_by(flags: RunFlags, layout: Layout) -> Metrics:
    return Metrics(
        flags.ingress_class,
        custom_resources=flags.enable_custom_resources,
        status_socket=layout.status_socket if flags.enable_prometheus_metrics else None,
        latency=flags.enable_latency_metrics,
    )


def watching_by(flags: RunFlags, place: Place) -> Watching:
    singles = set(named_secrets(flags))
    if flags.nginx_configmaps is not None:
        singles.add(flags.nginx_configmaps)
    if flags.external_service:
        singles.add(Ref("Service", place.namespace, flags.external_service))
    return Watching(
        namespaces=flags.watch_namespace,
        namespace_label=flags.watch_namespace_label,
        secret_namespaces=flags.watch_secret_namespace,
        singles=frozenset(singles),
        custom_resources=flags.enable_custom_resources,
    )
