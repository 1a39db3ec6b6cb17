"""The flags of `headgate run`: one table, which is also the type of what they say. A field is a flag, its annotation the row.

The first 71 are F5's, with its names, types and defaults, so that manifests written for its controller start Headgate unchanged. Each has a
verdict: it works, it comes with a named capability and is accepted meanwhile, it speaks only about something that is refused, or it
cannot be. From these rows come reading (`run_reading`), `--help` and the reference page (`run_pages`).
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, TypeAlias, get_type_hints

from msgspec import Struct

from headgate.api import Ref
from headgate.cli.go_flags import BOOL, DURATION, INT, STRING, Kind
from headgate.cli.run_checks import (
    as_it_is,
    cidrs,
    count,
    folder,
    health_uri,
    lock_name,
    milliseconds,
    name_of,
    namespaces,
    object_of,
    port,
    selector,
    semantics,
    span,
    unprivileged_port,
    whether,
)
from headgate.model.settings import Semantics
from headgate.model.values import Duration


class Works(Struct, frozen=True):
    pass


class Later(Struct, frozen=True):
    """Accepted with a warning until the capability is there."""

    capability: str


class Moot(Struct, frozen=True):
    """Accepted with a warning: it says something only beside another flag, which Headgate refuses."""

    beside: str


class Refused(Struct, frozen=True):
    """Fatal, unless it says the default."""

    reason: str


Verdict: TypeAlias = Works | Later | Moot | Refused
WORKS = Works()

OBJECTS = "Which objects are served, and how they are read"
LISTEN = "Where nginx listens"
WATCH = "Health, status and metrics"
CLUSTER = "Telling the cluster"
API = "Reaching the API server"
PROCESS = "How it runs"
PLUS = "F5's products around NGINX Plus"
GROUPS = (OBJECTS, LISTEN, WATCH, CLUSTER, API, PROCESS, PLUS)


class Flag(Struct, frozen=True):
    """A row; `name` is that of the field with dashes."""

    kind: Kind
    default: str  # as one would write it
    check: Callable[[Any], Any]
    group: str
    doc: str
    verdict: Verdict = WORKS
    edition: str = "oss"  # oss, plus, waf, dos: where F5's controller has it; headgate: ours
    value: str = ""  # what stands for the value in help
    name: str = ""


_CUSTOM = Later("F5's custom resources")
_PLUS_ONLY = Refused("it needs NGINX Plus, and Headgate runs open-source nginx")
_TEMPLATES = Refused("Headgate prints through typed templates of its own; F5's templates cannot be used")
_SECRET, _OBJECT = object_of("Secret"), "NAMESPACE/NAME"


def _switch(default: str, group: str, doc: str, verdict: Verdict = WORKS, edition: str = "oss") -> Flag:
    return Flag(BOOL, default, whether, group, doc, verdict, edition)


def _number(
    default: str,
    check: Callable[[int], object],
    group: str,
    doc: str,
    verdict: Verdict = WORKS,
    edition: str = "oss",
    value: str = "PORT",
) -> Flag:
    return Flag(INT, default, check, group, doc, verdict, edition, value)


def _word(
    default: str,
    check: Callable[[str], object],
    group: str,
    doc: str,
    value: str,
    verdict: Verdict = WORKS,
    edition: str = "oss",
) -> Flag:
    return Flag(STRING, default, check, group, doc, verdict, edition, value)


def _time(default: str, group: str, doc: str) -> Flag:
    return Flag(DURATION, default, span, group, doc, edition="headgate", value="TIME")


class RunFlags(Struct, frozen=True, kw_only=True):
    # fmt: off
    health_status: Annotated[bool, _switch("false", WATCH, "Let the default server answer 200 and \"healthy\" at -health-status-uri. It wins over an Ingress without a host that wants the same path.")]
    health_status_uri: Annotated[str, _word("/nginx-health", health_uri, WATCH, "Where that answer is. Checked even while -health-status is off.", "PATH")]
    proxy: Annotated[str, _word("", as_it_is, API, "Reach the API server through a `kubectl proxy` at this URL.", "URL")]
    watch_namespace: Annotated[tuple[str, ...], _word("", namespaces, OBJECTS, "The namespaces to watch, with commas between; empty is all. Not together with -watch-namespace-label.", "NAMES")]
    watch_secret_namespace: Annotated[tuple[str, ...], _word("", namespaces, OBJECTS, "The namespaces in which Secrets are watched; empty is those of -watch-namespace.", "NAMES")]
    watch_namespace_label: Annotated[str, _word("", selector, OBJECTS, "Watch the namespaces that this label selector selects; they may come and go.", "SELECTOR")]
    nginx_configmaps: Annotated[Ref | None, _word("", object_of("ConfigMap"), OBJECTS, "The ConfigMap with settings for everybody. It must exist when Headgate starts.", _OBJECT)]
    mgmt_configmap: Annotated[Ref | None, _word("", object_of("ConfigMap"), PLUS, "The ConfigMap for the mgmt block of NGINX Plus.", _OBJECT, Moot("nginx-plus"), "plus")]
    nginx_plus: Annotated[bool, _switch("false", PLUS, "Run NGINX Plus.", Refused("Headgate runs open-source nginx, and brings what it can of the other to it"), "plus")]
    enable_app_protect: Annotated[bool, _switch("false", PLUS, "F5 WAF for NGINX.", _PLUS_ONLY, "waf")]
    app_protect_log_level: Annotated[str, _word("fatal", as_it_is, PLUS, "The log level of the WAF.", "LEVEL", Moot("enable-app-protect"), "waf")]
    enable_app_protect_dos: Annotated[bool, _switch("false", PLUS, "F5 DoS for NGINX.", _PLUS_ONLY, "dos")]
    app_protect_dos_debug: Annotated[bool, _switch("false", PLUS, "Debug log of the DoS agent.", _PLUS_ONLY, "dos")]
    app_protect_dos_max_daemons: Annotated[int, _number("0", count, PLUS, "Daemons of the DoS agent.", _PLUS_ONLY, "dos", "N")]
    app_protect_dos_max_workers: Annotated[int, _number("0", count, PLUS, "nginx workers that the DoS agent counts on.", _PLUS_ONLY, "dos", "N")]
    app_protect_dos_memory: Annotated[int, _number("0", count, PLUS, "Memory of the DoS agent in MB.", _PLUS_ONLY, "dos", "N")]
    app_protect_enforcer_address: Annotated[str, _word("127.0.0.1:50000", as_it_is, PLUS, "Where the WAF's enforcer listens.", "ADDRESS", Moot("enable-app-protect"), "waf")]
    enable_app_protect_ip_intelligence: Annotated[bool, _switch("false", PLUS, "The WAF's IP reputation daemon.", Moot("enable-app-protect"), "waf")]
    plm_storage_url: Annotated[str, _word("", as_it_is, PLUS, "The store of the WAF's policy controller.", "URL", _PLUS_ONLY, "waf")]
    plm_storage_credentials_secret: Annotated[str, _word("", as_it_is, PLUS, "The Secret with the key of that store.", _OBJECT, _PLUS_ONLY, "waf")]
    plm_storage_ca_secret: Annotated[str, _word("", as_it_is, PLUS, "The Secret with the authority of that store.", _OBJECT, _PLUS_ONLY, "waf")]
    plm_storage_client_ssl_secret: Annotated[str, _word("", as_it_is, PLUS, "The Secret with our certificate for that store.", _OBJECT, _PLUS_ONLY, "waf")]
    plm_storage_insecure_skip_verify: Annotated[bool, _switch("false", PLUS, "Do not verify that store's certificate.", _PLUS_ONLY, "waf")]
    agent: Annotated[bool, _switch("false", PLUS, "Run F5's NGINX Agent beside nginx.", Refused("Headgate starts nothing but nginx; run the agent as a container of its own"))]
    agent_instance_group: Annotated[str, _word("nginx-ingress-controller", as_it_is, PLUS, "The agent's instance group.", "NAME", Moot("agent"))]
    ingress_class: Annotated[str, _word("nginx", name_of, OBJECTS, "The class whose Ingresses are ours. Its IngressClass must exist, with the controller nginx.org/ingress-controller.", "NAME")]
    default_server_tls_secret: Annotated[Ref | None, _word("", _SECRET, OBJECTS, "The TLS Secret for names that nobody has; without one their handshakes are refused.", _OBJECT)]
    version: Annotated[bool, _switch("false", PROCESS, "Print the version and exit.")]
    main_template_path: Annotated[str, _word("", as_it_is, PROCESS, "A template for nginx.conf.", "FILE", _TEMPLATES)]
    ingress_template_path: Annotated[str, _word("", as_it_is, PROCESS, "A template for an Ingress.", "FILE", _TEMPLATES)]
    virtualserver_template_path: Annotated[str, _word("", as_it_is, PROCESS, "A template for a VirtualServer.", "FILE", _TEMPLATES)]
    transportserver_template_path: Annotated[str, _word("", as_it_is, PROCESS, "A template for a TransportServer.", "FILE", _TEMPLATES)]
    external_service: Annotated[str, _word("", name_of, CLUSTER, "The Service in our namespace whose addresses are written into statuses. Not together with -ingresslink.", "NAME")]
    ingresslink: Annotated[str, _word("", name_of, CLUSTER, "The IngressLink in our namespace whose address is written into statuses.", "NAME")]
    report_ingress_status: Annotated[bool, _switch("false", CLUSTER, "Write our addresses into Ingresses: external-status-address of the ConfigMap, else -external-service, else -ingresslink.")]
    enable_leader_election: Annotated[bool, _switch("true", CLUSTER, "Let only one replica write statuses and events.")]
    leader_election_lock_name: Annotated[str, _word("nginx-ingress-leader-election", lock_name, CLUSTER, "The Lease in our namespace by which replicas agree who that is.", "NAME")]
    nginx_status_allow_cidrs: Annotated[tuple[str, ...], _word("127.0.0.1,::1", cidrs, WATCH, "Who may ask -nginx-status-port: addresses and networks, with commas between.", "CIDRS")]
    nginx_status_port: Annotated[int, _number("8080", unprivileged_port, WATCH, "The port of /stub_status.")]
    nginx_status: Annotated[bool, _switch("true", WATCH, "Let nginx answer /stub_status.")]
    nginx_debug: Annotated[bool, _switch("false", PROCESS, "Run the binary nginx-debug, which can log at level debug.")]
    enable_config_safety: Annotated[bool, _switch("false", PROCESS, "Keep bad objects from harming others. Headgate always does, so this changes nothing.")]
    nginx_reload_timeout: Annotated[Duration, _number("60000", milliseconds, PROCESS, "Milliseconds to wait for nginx to answer with a new configuration. 0 is the default.", value="N")]
    wildcard_tls_secret: Annotated[Ref | None, _word("", _SECRET, OBJECTS, "The TLS Secret for hosts whose tls entry names no Secret.", _OBJECT)]
    enable_prometheus_metrics: Annotated[bool, _switch("false", WATCH, "Serve /metrics.")]
    prometheus_tls_secret: Annotated[Ref | None, _word("", _SECRET, WATCH, "Serve /metrics over TLS with this Secret; a new pair is taken up as it comes.", _OBJECT)]
    prometheus_metrics_listen_port: Annotated[int, _number("9113", unprivileged_port, WATCH, "The port of /metrics.")]
    enable_service_insight: Annotated[bool, _switch("false", WATCH, "Tell how many endpoints of a host are up.", Later("service insight on open-source nginx"), "plus")]
    service_insight_tls_secret: Annotated[Ref | None, _word("", _SECRET, WATCH, "Serve that over TLS.", _OBJECT, Later("service insight on open-source nginx"), "plus")]
    service_insight_listen_port: Annotated[int, _number("9114", unprivileged_port, WATCH, "The port of service insight.", Later("service insight on open-source nginx"), "plus")]
    enable_custom_resources: Annotated[bool, _switch("true", OBJECTS, "Look for VirtualServer, VirtualServerRoute, TransportServer, Policy and GlobalConfiguration.", _CUSTOM)]
    enable_oidc: Annotated[bool, _switch("false", OBJECTS, "OIDC policies.", Later("OIDC on open-source nginx"), "plus")]
    enable_snippets: Annotated[bool, _switch("false", OBJECTS, "Allow snippets: lines of nginx configuration in annotations. Who may write an Ingress can then read everybody's keys.")]
    global_configuration: Annotated[Ref | None, _word("", object_of("GlobalConfiguration"), OBJECTS, "The GlobalConfiguration with listeners. Wants -enable-custom-resources.", _OBJECT, _CUSTOM)]
    enable_tls_passthrough: Annotated[bool, _switch("false", LISTEN, "Pass TLS through by its server name. Wants -enable-custom-resources.", _CUSTOM)]
    tls_passthrough_port: Annotated[int, _number("443", count, LISTEN, "The port of TLS passthrough.", _CUSTOM)]
    ready_status: Annotated[bool, _switch("true", WATCH, "Answer /nginx-ready: 200 once nginx serves everything, 503 before that and while draining.")]
    ready_status_port: Annotated[int, _number("8081", unprivileged_port, WATCH, "The port of /nginx-ready.")]
    enable_latency_metrics: Annotated[bool, _switch("false", WATCH, "Measure how long backends take to answer. Wants -enable-prometheus-metrics.")]
    enable_cert_manager: Annotated[bool, _switch("false", OBJECTS, "Certificates of cert-manager for VirtualServers. Wants -enable-custom-resources.", _CUSTOM)]
    enable_external_dns: Annotated[bool, _switch("false", OBJECTS, "DNSEndpoints for VirtualServers. Wants -enable-custom-resources.", _CUSTOM)]
    disable_ipv6: Annotated[bool, _switch("false", LISTEN, "Listen on IPv4 only.")]
    default_http_listener_port: Annotated[int, _number("80", port, LISTEN, "A further port on which the default server answers in clear text.")]
    default_https_listener_port: Annotated[int, _number("443", port, LISTEN, "A further port on which the default server answers over TLS.")]
    ssl_dynamic_reload: Annotated[bool, _switch("true", PROCESS, "Take up renewed certificates without a reload.", Later("certificates without a reload"))]
    enable_telemetry_reporting: Annotated[bool, _switch("true", PROCESS, "Accepted, whatever it says: Headgate reports nothing to anybody.")]
    log_format: Annotated[str, _word("glog", as_it_is, PROCESS, "How log lines look: glog, json, text, json-unix, json-unix-ms, text-unix or text-unix-ms.", "FORMAT")]
    log_level: Annotated[str, _word("info", as_it_is, PROCESS, "From which level on lines are written: trace, debug, info, warning, error or fatal.", "LEVEL")]
    weight_changes_dynamic_reload: Annotated[bool, _switch("false", OBJECTS, "Change the weights of a split without a reload.", Later("weights without a reload"), "plus")]
    enable_directive_autoadjust: Annotated[bool, _switch("false", OBJECTS, "Bring proxy buffer sizes that contradict each other into line.", Later("the whole F5 dialect"))]
    allow_empty_ingress_host: Annotated[bool, _switch("false", OBJECTS, "Allow rules without a host: they answer for every name that nobody else has.")]

    ingress_semantics: Annotated[Semantics, _word("kubernetes", semantics, OBJECTS, "Whose reading of paths and wildcard hosts counts: kubernetes, or nic for F5's.", "WHOSE", edition="headgate")]
    http_port: Annotated[int, _number("80", port, LISTEN, "The port for clear text.", edition="headgate")]
    https_port: Annotated[int, _number("443", port, LISTEN, "The port for TLS.", edition="headgate")]
    kubeconfig: Annotated[str, _word("", as_it_is, API, "Outside a cluster: the kubeconfig to use (files with colons between); empty is the Pod's own account.", "FILES", edition="headgate")]
    context: Annotated[str, _word("", as_it_is, API, "The context of that kubeconfig; empty is its current one.", "NAME", edition="headgate")]
    quiet_period: Annotated[Duration, _time("50ms", PROCESS, "How long it must be quiet before changes are taken up together.")]
    reload_ceiling: Annotated[Duration, _time("500ms", PROCESS, "How long changes may wait for that quiet.")]
    shutdown_delay: Annotated[Duration, _time("5s", PROCESS, "How long nginx goes on accepting connections after SIGTERM, since kube-proxy and load balancers lag behind.")]
    shutdown_timeout: Annotated[Duration, _time("20s", PROCESS, "How long requests may take to end after that. Together with -shutdown-delay it should fit the Pod's grace period (30s).")]
    nginx_binary: Annotated[str, _word("nginx", as_it_is, PROCESS, "The nginx to run: a path, or a name to be found in PATH and /usr/sbin.", "FILE", edition="headgate")]
    nginx_dir: Annotated[str, _word("/etc/nginx", folder, PROCESS, "Where the configuration is written.", "FOLDER", edition="headgate")]
    state_dir: Annotated[str, _word("/var/lib/nginx", folder, PROCESS, "Where sockets, the pid and our own state are.", "FOLDER", edition="headgate")]
    # fmt: on

    @property
    def binary(self) -> str:
        """Which nginx to look for."""
        return "nginx-debug" if self.nginx_debug and self.nginx_binary == "nginx" else self.nginx_binary


@cache
def flags() -> Mapping[str, Flag]:
    """Every row by its name, in the order of the table."""
    rows: dict[str, Flag] = {}
    for field, hint in get_type_hints(RunFlags, include_extras=True).items():
        (row,) = hint.__metadata__
        name = field.replace("_", "-")
        rows[name] = Flag(
            row.kind, row.default, row.check, row.group, row.doc, row.verdict, row.edition, row.value, name
        )
    return rows
