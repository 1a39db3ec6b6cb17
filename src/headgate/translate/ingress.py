"""Read one Ingress: the object in, a `Claim` on hosts and paths out.

Nothing here looks at another Ingress; what it looks at goes through the `View`. Any mistake in the object itself rejects this
version of it as a whole, with every mistake named at once; a missing Service or Secret does not.
"""

from collections.abc import Container, Iterable, Mapping

from msgspec import Struct, structs

from headgate.api import Backend, HttpPath, Ingress, Malformed, Meta, Ref, Rule, Secret
from headgate.dialects import read_annotations
from headgate.model.certificate import Certificate
from headgate.model.finding import Problem, Severity
from headgate.model.options import Options, over
from headgate.model.server import (
    Answer,
    Host,
    HostKind,
    Location,
    Match,
    Pass,
    PassByName,
    Server,
    Site,
    Target,
    Tls,
    Upstream,
)
from headgate.model.settings import Semantics, Settings
from headgate.model.values import Snippet, UpstreamName
from headgate.translate.backends import Backends, Resolved
from headgate.translate.claims import Claim
from headgate.translate.names import is_label, is_subdomain, parse_host, shown
from headgate.translate.notes import Notes
from headgate.translate.paths import (
    NO_PATH,
    PATTERNS,
    PathType,
    Placed,
    Route,
    parse_path,
    parse_type,
    place,
    place_patterns,
    too_long,
)
from headgate.translate.secrets import certificate_of, covers
from headgate.translate.view import View


class Common(Struct, frozen=True, gc=False):
    """What every object is read against."""

    settings: Settings
    options: Options  # defaults with the ConfigMap laid over
    config_source: Ref | None = None
    default_certificate: Ref | None = None  # usable, for names that nobody has


class Pairs:
    """TLS pairs by Secret, each checked once. Filled by `collect`, since several objects share them."""

    def __init__(self) -> None:
        self._known: dict[Ref, tuple[object, Certificate | Problem]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, secret: Secret | Malformed) -> Certificate | Problem:
        ref = secret.ref
        known = self._known.get(ref)
        if known is None or known[0] is not secret:
            known = self._known[ref] = (secret, certificate_of(secret))
        return known[1]

    def forget_but(self, refs: Container[Ref]) -> None:
        """What nobody looks at any more need not be remembered."""
        for ref in [ref for ref in self._known if ref not in refs]:
            del self._known[ref]


def claim(ingress: Ingress | Malformed, view: View, common: Common, pairs: Pairs) -> Claim:
    notes = Notes(ingress.ref)
    if isinstance(ingress, Malformed):
        notes.reject(ingress.field, ingress.message)
        return _rejected(ingress.ref, Meta(name=ingress.ref.name, namespace=ingress.ref.namespace), notes)
    return _Reader(ingress, view, common, pairs, notes).claim()


def _rejected(source: Ref, meta: Meta, notes: Notes) -> Claim:
    return Claim(source, meta, Site(source), findings=notes.findings, rejected=frozenset({source}))


class _Reader:
    """One Ingress being read. Lives for one call of `claim`."""

    def __init__(self, ingress: Ingress, view: View, common: Common, pairs: Pairs, notes: Notes) -> None:
        self.ingress = ingress
        self.source = ingress.ref
        self.view = view
        self.settings = common.settings
        self.default_certificate = common.default_certificate
        self.notes = notes
        self.pairs = pairs
        self.said = self._annotations()
        self.options = over(common.options, self.said)
        self.backends = Backends(self.source, view, common.settings, self.options, notes)
        self.location_snippet = self._location_snippet(common.config_source)
        self.certificates: dict[Ref, Certificate] = {}
        self.invalid: set[Ref] = set()

    def claim(self) -> Claim:
        self._check_names()
        default = self._default_backend()
        secrets = self._tls_hosts()
        servers = tuple(self._server(host, rules, default, secrets) for host, rules in self._hosts())
        self._check_services()
        self._check_unused_tls(secrets, servers)
        if not servers and not self.notes.is_rejected:
            self.notes.reject("spec", "it has neither rules nor a defaultBackend: add one of them")
        if self.notes.is_rejected:
            return _rejected(self.source, self.ingress.meta, self.notes)
        upstreams = used(servers, self.backends.upstreams)
        return Claim(
            self.source,
            self.ingress.meta,
            Site(self.source, servers, upstreams),
            endpoints={each.name: self.backends.endpoints[each.name] for each in upstreams},
            certificates=tuple(self.certificates.values()),
            findings=self.notes.findings,
            rejected=frozenset(self.invalid),
        )

    # --- annotations ---

    def _annotations(self) -> Options:
        reading = read_annotations(self.ingress.meta.annotations, snippets=self.settings.snippets)
        for problem in reading.problems:
            self.notes.reject(f"annotation {problem.field}", problem.message)
        for remark in reading.remarks:
            self.notes.warn("UnknownAnnotation", f"annotation {remark.field}", remark.message)
        return reading.options

    def _check_names(self) -> None:
        if not is_label(self.source.namespace):
            self.notes.reject(
                "metadata.namespace",
                f"{shown(self.source.namespace)} is no namespace: write lower-case letters, digits and dashes",
            )
        if not is_subdomain(self.source.name):
            self.notes.reject(
                "metadata.name",
                f"{shown(self.source.name)} is no name: write lower-case letters, digits, dashes and dots",
            )

    def _check_services(self) -> None:
        """A Service that an annotation names must be one that the rules use: anything else is a typo."""
        routing = self.said.routing
        used_names = {path.backend.service.name for path in self._paths() if path.backend.service}
        if (default := self.ingress.spec.default_backend) is not None and default.service is not None:
            used_names.add(default.service.name)
        named = {
            "websocket-services": routing.websocket_services or (),
            "grpc-services": routing.grpc_services or (),
            "ssl-services": routing.ssl_services or (),
            "rewrites": tuple(rewrite.service for rewrite in routing.rewrites or ()),
        }
        for key, names in named.items():
            for name in names:
                if name not in used_names:
                    known = ", ".join(sorted(used_names)) or "none"
                    self.notes.reject(
                        f"annotation nginx.org/{key}", f"no rule of this Ingress uses a Service {name}; it uses {known}"
                    )

    def _paths(self) -> Iterable[HttpPath]:
        return (path for rule in self.ingress.spec.rules if rule.http is not None for path in rule.http.paths)

    # --- hosts ---

    def _hosts(self) -> list[tuple[Host, list[tuple[int, Rule]]]]:
        """Rules by host: the same host twice is one server. Sorted, since the order in the object means nothing."""
        hosts: dict[Host, list[tuple[int, Rule]]] = {}
        for at, rule in enumerate(self.ingress.spec.rules):
            field = f"spec.rules[{at}].host"
            try:
                host = parse_host(rule.host, self.settings.semantics)
            except ValueError as why:
                self.notes.reject(field, str(why))
                continue
            if not host.text and not self._hostless_allowed(field):
                continue
            hosts.setdefault(host, []).append((at, rule))
        has_default_only = not self.ingress.spec.rules and self.ingress.spec.default_backend is not None
        if has_default_only and self._hostless_allowed("spec.rules"):
            hosts[Host("")] = []
        return sorted(hosts.items(), key=lambda item: (item[0].text, item[0].kind.value))

    def _hostless_allowed(self, field: str) -> bool:
        if self.settings.allow_empty_host:
            return True
        self.notes.reject(
            field,
            "a rule without a host answers for every name: start Headgate with -allow-empty-ingress-host to allow it, or name a host",
        )
        return False

    # --- servers and locations ---

    def _server(
        self, host: Host, rules: list[tuple[int, Rule]], default: Resolved | None, secrets: Mapping[str, str]
    ) -> Server:
        routes, resolved = self._routes(rules)
        regex = self.options.routing.path_regex
        default_at: int | None = None
        if default is not None:
            default_at = len(resolved)
            resolved.append(default)
        placed = (
            place_patterns(routes, regex, default=default_at)
            if regex is not None
            else place(routes, semantics=self.settings.semantics, default=default_at)
        )
        locations = tuple(self._location(each, resolved) for each in placed)
        tls = self._tls(host, secrets)
        self._check_grpc(host, locations, tls)
        return Server(host, self.source, locations, tls, self.said, self.options)

    def _routes(self, rules: list[tuple[int, Rule]]) -> tuple[list[Route], list[Resolved]]:
        routes: list[Route] = []
        resolved: list[Resolved] = []
        seen: dict[tuple[str, object], str] = {}
        for at, rule in rules:
            for number, path in enumerate(rule.http.paths if rule.http is not None else ()):
                field = f"spec.rules[{at}].http.paths[{number}]"
                backend = self.backends.resolve(path.backend, f"{field}.backend")
                route = self._route(path, field, len(resolved))
                if route is not None and backend is not None and self._is_new(route, field, seen):
                    routes.append(route)
                    resolved.append(backend)
        return routes, resolved

    def _route(self, path: HttpPath, field: str, at: int) -> Route | None:
        kind = None
        try:
            kind = parse_type(path.path_type)
            return Route(parse_path(path.path, kind, regex=self.options.routing.path_regex in PATTERNS), kind, at)
        except ValueError as why:
            self.notes.reject(f"{field}.path" if kind is not None else f"{field}.pathType", str(why))
            return None

    def _is_new(self, route: Route, field: str, seen: dict[tuple[str, object], str]) -> bool:
        by_element = route.type is PathType.PREFIX and self.settings.semantics is Semantics.KUBERNETES
        same = route.path.rstrip("/") if by_element and self.options.routing.path_regex is None else route.path
        first = seen.setdefault((same, route.type), field)
        if first is not field:
            said = f"{shown(route.path)} stands at {first} already, with the same pathType; that one counts"
            self.notes.warn("DuplicatePath", f"{field}.path", said)
        return first is field

    def _default_backend(self) -> Resolved | None:
        default: Backend | None = self.ingress.spec.default_backend
        return self.backends.resolve(default, "spec.defaultBackend") if default is not None else None

    def _location(self, placed: Placed, resolved: list[Resolved]) -> Location:
        if isinstance(placed.backend, Answer):
            return Location(placed.path, NO_PATH, self.source)
        found = resolved[placed.backend]
        if too_long(placed):
            self.notes.reject(
                "spec.rules",
                f"path {shown(placed.path.text)} is longer than 255 bytes with its closing /, beyond which nginx would match other paths too",
            )
        target = found.target
        if not isinstance(target, Answer) and target.rewrite is not None:
            target = self._rewritten(target, target.rewrite, placed)
        return Location(placed.path, target, self.source, found.service, self.location_snippet)

    def _rewritten(self, target: Pass | PassByName, rewrite: str, placed: Placed) -> Target:
        """The subtree half of a Prefix replaces `/foo/`, so what it puts there ends with a slash too."""
        if placed.path.match in (Match.REGEX, Match.REGEX_ANY_CASE):
            self.notes.reject(
                "annotation nginx.org/rewrites",
                "a rewrite cannot replace a part of a regular expression: take out nginx.org/path-regex or the rewrite",
            )
            return target
        if placed.subtree and not rewrite.endswith("/"):
            rewrite += "/"
        return structs.replace(target, rewrite=rewrite, replaced=placed.stands_for)

    def _location_snippet(self, config_source: Ref | None) -> Snippet | None:
        text = self.options.snippets.location
        if not text or not text.strip():
            return None
        is_own = self.said.snippets.location is not None
        return Snippet(text, self.source if is_own or config_source is None else config_source)

    def _check_grpc(self, host: Host, locations: tuple[Location, ...], tls: Tls | None) -> None:
        grpc = any(not isinstance(each.target, Answer) and each.target.protocol.is_grpc for each in locations)
        if grpc and tls is None:
            self.notes.warn(
                "GrpcWithoutTls",
                "spec.tls",
                f"host {host.text or 'of last resort'} serves gRPC without TLS, and gRPC clients reach nginx over TLS only: add a tls entry for it",
            )

    # --- TLS ---

    def _tls_hosts(self) -> dict[str, str]:
        """Host → Secret name; the last entry that lists a host counts."""
        listed: dict[str, str] = {}
        for at, entry in enumerate(self.ingress.spec.tls):
            if not entry.hosts:
                self.notes.warn(
                    "TlsWithoutHosts",
                    f"spec.tls[{at}]",
                    "it lists no hosts, so it applies to none: list the hosts of the rules",
                )
            if entry.secret_name and not is_subdomain(entry.secret_name):
                self.notes.reject(
                    f"spec.tls[{at}].secretName",
                    f"{shown(entry.secret_name)} is no Secret name: write lower-case letters, digits, dashes and dots",
                )
                continue
            for host in entry.hosts:
                listed[host] = entry.secret_name
        return listed

    def _tls(self, host: Host, secrets: Mapping[str, str]) -> Tls | None:
        text = host.text if host.kind is HostKind.EXACT else f"*.{host.text}"
        if not text:
            return Tls(self.default_certificate) if self.default_certificate is not None else None
        if text not in secrets:
            return None
        wanted = self.settings.wildcard_certificate
        if name := secrets[text]:
            wanted = Ref("Secret", self.source.namespace, name)
        if wanted is None:
            self.notes.warn(
                "SecretMissing",
                "spec.tls",
                f"the entry for host {text} names no Secret; its TLS handshakes are refused",
            )
            return Tls()
        secret = self.view.secret(wanted.namespace, wanted.name)
        if secret is None:
            self.notes.warn(
                "SecretMissing",
                "spec.tls",
                f"{wanted} does not exist; TLS handshakes for {text} are refused until it does",
            )
            return Tls()
        return self._pair(secret, text)

    def _pair(self, secret: Secret | Malformed, host: str) -> Tls:
        found = self.pairs.of(secret)
        if isinstance(found, Problem):
            self.invalid.add(secret.ref)
            self.notes.say(Severity.ERROR, "SecretInvalid", found.field, found.message, about=secret.ref)
            self.notes.warn(
                "SecretInvalid",
                "spec.tls",
                f"{secret.ref} is not a usable TLS pair ({found.field}: {found.message}); TLS handshakes for {host} are refused",
            )
            return Tls()
        if found.names and not covers(found.names, host) and host not in found.names:
            self.notes.warn(
                "CertificateNames",
                "spec.tls",
                f"the certificate in {secret.ref} is for {', '.join(found.names[:5])}, not for {host}: clients will refuse it",
            )
        self.certificates[found.source] = found
        return Tls(found.source)

    def _check_unused_tls(self, secrets: Mapping[str, str], servers: tuple[Server, ...]) -> None:
        served = {
            server.host.text if server.host.kind is HostKind.EXACT else f"*.{server.host.text}" for server in servers
        }
        for host in secrets:
            if host not in served:
                self.notes.warn(
                    "TlsHostUnused",
                    "spec.tls",
                    f"host {shown(host)} stands in no rule, so its entry has no effect: hosts of tls must be written as in the rules",
                )


def used(servers: tuple[Server, ...], upstreams: Mapping[UpstreamName, Upstream]) -> tuple[Upstream, ...]:
    """The upstreams that these servers pass to, in the order of their names."""
    names = {each.target.upstream for server in servers for each in server.locations if isinstance(each.target, Pass)}
    return tuple(upstreams[name] for name in sorted(names))
