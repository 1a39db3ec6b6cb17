"""Read the command line of `headgate run`: argv in, `RunFlags` and warnings out.

A line that cannot be read is `WrongUsage` (usage, exit code 2), as Go's flags do; values that make no sense are all told at once in
one `Unusable` (exit code 1). What only comes later, or has no effect, is a warning: the manifest that says it works.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from headgate.cli.go_flags import WrongUsage, split
from headgate.cli.run_flags import Flag, Later, Moot, Refused, RunFlags, flags
from headgate.errors import Unusable
from headgate.observability.formats import FORMATS, LEVELS


class Reading(Struct, frozen=True):
    flags: RunFlags
    warnings: tuple[str, ...] = ()


def read_flags(argv: Sequence[str]) -> Reading:
    """`argv` without the command. Raises `WrongUsage`, `HelpWanted` or `Unusable`."""
    rows = flags()
    said = split(argv, {name: row.kind for name, row in rows.items()})
    values = {name: _value(row, said.texts.get(name, row.default)) for name, row in rows.items()}
    if values["version"]:
        return Reading(_typed({name: row.kind.read(row.default) for name, row in rows.items()} | {"version": True}))
    wrong = [*_refused(rows, values)]
    read = _checked(rows, values, wrong)
    if not wrong:
        wrong += _contradictions(read)
    if wrong:
        raise Unusable("; ".join(wrong))
    mended, warnings = _mended(read)
    if said.rest:
        warnings = (f"words behind the flags are ignored: {' '.join(said.rest)}", *warnings)
    return Reading(mended, (*warnings, *_without_effect(rows, values)))


def _value(row: Flag, text: str) -> Any:
    try:
        return row.kind.read(text)
    except ValueError as why:
        raise WrongUsage(f"-{row.name}={text}: {why}") from None


def _typed(values: Mapping[str, Any]) -> RunFlags:
    return RunFlags(**{name.replace("-", "_"): flags()[name].check(value) for name, value in values.items()})


def _checked(rows: Mapping[str, Flag], values: Mapping[str, Any], wrong: list[str]) -> RunFlags:
    """Where a value makes no sense its default stands in, so that the others are looked at too."""
    usable = dict(values)
    for name, row in rows.items():
        try:
            row.check(values[name])
        except ValueError as why:
            wrong.append(f"-{name}={values[name]}: {why}")
            usable[name] = row.kind.read(row.default)
    return _typed(usable)


def _is_said(row: Flag, value: object) -> bool:
    """Does it ask for anything that the default does not?"""
    return bool(value != row.kind.read(row.default))


def _refused(rows: Mapping[str, Flag], values: Mapping[str, Any]) -> Iterator[str]:
    for name, row in rows.items():
        if isinstance(row.verdict, Refused) and _is_said(row, values[name]):
            yield f"-{name} cannot be: {row.verdict.reason}"


def _without_effect(rows: Mapping[str, Flag], values: Mapping[str, Any]) -> Iterator[str]:
    for name, row in rows.items():
        turned_off = row.kind.is_bool and row.default == "true"
        if turned_off or not _is_said(row, values[name]):
            continue
        match row.verdict:
            case Later(capability):
                yield f"-{name} is accepted and has no effect yet: it comes with {capability}"
            case Moot(beside):
                yield f"-{name} has no effect: it is about -{beside}, which Headgate does not have"


def _contradictions(read: RunFlags) -> Iterator[str]:
    if read.watch_namespace and read.watch_namespace_label:
        yield "-watch-namespace and -watch-namespace-label cannot both say which namespaces are watched"
    if read.external_service and read.ingresslink:
        yield "-external-service and -ingresslink cannot both say what our address is"
    for name in ("enable-tls-passthrough", "enable-cert-manager", "enable-external-dns", "global-configuration"):
        if getattr(read, name.replace("-", "_")) and not read.enable_custom_resources:
            yield f"-{name} wants -enable-custom-resources, which is off"
    if read.http_port == read.https_port:
        yield f"-http-port and -https-port are both {read.http_port}: they cannot share a port"
    if read.proxy and (read.kubeconfig or read.context):
        yield "-proxy and -kubeconfig cannot both say how the API server is reached"
    yield from _shared_ports(read)


def _shared_ports(read: RunFlags) -> Iterator[str]:
    """Each listener of ours wants a port of its own."""
    wanted = {
        "http-port": (read.http_port, True),
        "https-port": (read.https_port, True),
        "nginx-status-port": (read.nginx_status_port, read.nginx_status),
        "ready-status-port": (read.ready_status_port, read.ready_status),
        "prometheus-metrics-listen-port": (read.prometheus_metrics_listen_port, read.enable_prometheus_metrics),
    }
    taken: dict[int, str] = {}
    for name, (number, is_on) in wanted.items():
        first = taken.setdefault(number, name) if is_on else name
        if first != name and {first, name} != {"http-port", "https-port"}:
            yield f"-{first} and -{name} are both {number}: they cannot share a port"


def _mended(read: RunFlags) -> tuple[RunFlags, tuple[str, ...]]:
    """Values that are wrong without being fatal."""
    mended: dict[str, Any] = {}
    warnings = []
    if read.log_format not in FORMATS:
        mended["log_format"] = "glog"
        warnings.append(f"-log-format={read.log_format}: glog is used instead; write one of {', '.join(FORMATS)}")
    if (level := read.log_level.lower()) not in LEVELS:
        warnings.append(f"-log-level={read.log_level}: info is used instead; write one of {', '.join(LEVELS)}")
    mended["log_level"] = level if level in LEVELS else "info"
    if read.enable_latency_metrics and not read.enable_prometheus_metrics:
        mended["enable_latency_metrics"] = False
        warnings.append("-enable-latency-metrics has no effect without -enable-prometheus-metrics")
    return msgspec.structs.replace(read, **mended), tuple(warnings)
