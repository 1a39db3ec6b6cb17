"""`nginx.conf` and the default server: what is common to all, said once, from our defaults and the ConfigMap only.

Hash and zone sizes follow from the content, rounded up to powers of two so that one host more rarely changes a byte.
"""

from collections.abc import Mapping

from jinja2 import Environment

from headgate.api import Ref
from headgate.model.certificate import Certificate
from headgate.model.fileset import Block, File, file_of
from headgate.model.layout import Layout
from headgate.model.server import HostKind
from headgate.model.shape import Model
from headgate.model.values import Expression, Size, Snippet
from headgate.render.headers import sent, sent_grpc
from headgate.render.site import Surroundings, addresses, default_listeners, health_path

LOG_FORMAT = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent ',
    '"$http_referer" "$http_user_agent" "$http_x_forwarded_for" ',
    "route=$headgate_route upstream=$upstream_addr reason=$headgate_reason",
)
_CACHE_LINE = 64
_PER_NAME = 24  # a pointer, two lengths and padding beside the name itself
_ZONE_PER_UPSTREAM = 1024
_ZONE_PER_ENDPOINT = 1024


def main_file(model: Model, around: Surroundings, layout: Layout, environment: Environment) -> File:
    options = around.main.options
    source = around.main.source
    bucket, buckets = server_names_hash(model)
    facts = {
        "layout": layout,
        "options": options,
        "main": around.main,
        "can": around.can,
        "log_format": [Expression(piece) for piece in options.globals.log_format or LOG_FORMAT],
        "headers": sent(options.proxy.set_headers),
        "grpc_headers": sent_grpc(),
        "hidden": options.proxy.hide_headers or (),
        "names_bucket": bucket,
        "names_buckets": buckets,
        "zone": zone_size(model),
        "temp": {name: f"{layout.temp}/{name}" for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi")},
    }
    head = environment.get_template("main.conf.j2").render(facts)
    body = environment.get_template("http.conf.j2").render(facts)
    blocks = [Block(source, head), Block(source, body)]
    if options.snippets.main and options.snippets.main.strip():
        snippet = Snippet(options.snippets.main, source or Ref("ConfigMap", "", ""))
        blocks.insert(1, Block(source, environment.get_template("snippet.conf.j2").render(snippet=snippet)))
    return file_of(*blocks, source=source)


def default_server_file(
    around: Surroundings, pairs: Mapping[Ref, tuple[str, Certificate]], environment: Environment
) -> File:
    """Who asks for a name that nobody has gets 404 and a reason."""
    pair = around.main.default_certificate
    text = environment.get_template("default_server.conf.j2").render(
        listens=[listen for each in default_listeners(around.main) for listen in addresses(each, around.can)],
        http2_word=bool(around.can.http2_listen_word and around.main.options.globals.http2),
        pair=f"{around.tree}/{pairs[pair][0]}" if pair is not None and pair in pairs else None,
        health=health_path(around.main),
    )
    return file_of(Block(None, text))


def power_of_two(least: int) -> int:
    return 1 << max(least - 1, 0).bit_length()


def server_names_hash(model: Model) -> tuple[int, int]:
    """Bucket size and number of buckets for the names at hand: nobody tunes them, and nginx never complains."""
    names = [s.host.text for site in model.shape.sites for s in site.servers if s.host.kind is not HostKind.ONE_LABEL]
    longest = max((len(name) for name in names), default=0)
    bucket = max(power_of_two(2 * (longest + _PER_NAME)), 2 * _CACHE_LINE)
    return bucket, max(power_of_two(2 * len(names)), 1024)


def zone_size(model: Model) -> Size:
    """One zone for the state of all endpoints, with room."""
    endpoints = model.table.endpoints
    needed = _ZONE_PER_UPSTREAM * len(endpoints) + _ZONE_PER_ENDPOINT * sum(
        len(each) or 1 for each in endpoints.values()
    )
    return Size(power_of_two(max(needed + (64 << 10), 256 << 10)))
