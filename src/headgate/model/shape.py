"""`Model`: what nginx should do, in two parts.

`Shape` is what needs a reload to change; `Table` is what need not (endpoints now; weights and certificates
later). `diff` compares them in that order.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from headgate.api import Ref
from headgate.model.certificate import Certificate
from headgate.model.exposure import Exposure
from headgate.model.options import Options
from headgate.model.server import Endpoint, Listener, Site
from headgate.model.values import UpstreamName


class Main(Struct, frozen=True):
    """What is common to all servers and said once, at the http level."""

    options: Options = Options()
    listeners: tuple[Listener, ...] = ()
    resolver: tuple[str, ...] = ()
    default_certificate: Ref | None = None
    source: Ref | None = None  # the ConfigMap, when there is one
    default_listeners: tuple[Listener, ...] = ()  # of the server for names that nobody has, beside the others
    exposure: Exposure = Exposure()


class Shape(Struct, frozen=True):
    main: Main = Main()
    sites: tuple[Site, ...] = ()
    certificates: Mapping[Ref, Certificate] = field(default_factory=dict)


class Table(Struct, frozen=True):
    endpoints: Mapping[UpstreamName, tuple[Endpoint, ...]] = field(default_factory=dict)


class Model(Struct, frozen=True):
    shape: Shape = Shape()
    table: Table = Table()
