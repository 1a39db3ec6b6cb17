"""Tables of spelled settings: annotations and ConfigMap keys, each row naming the model field that it sets.

`ANNOTATIONS` and `CONFIGMAP` are made once; `read_annotations` and `read_configmap` are what `translate` calls.
"""

from collections.abc import Mapping

from headgate.dialects.configmap import configmap
from headgate.dialects.nginx_org import OTHERS, annotations
from headgate.dialects.table import Dialect, Reading, read

ANNOTATIONS: Dialect = annotations()
CONFIGMAP: Dialect = configmap()
_PREFIXES = (ANNOTATIONS.prefix, *(table.prefix for table in OTHERS))

__all__ = ["ANNOTATIONS", "CONFIGMAP", "Dialect", "Reading", "read_annotations", "read_configmap"]


def read_annotations(raw: Mapping[str, str], *, snippets: bool) -> Reading:
    """Everything that an Ingress says in F5's dialect."""
    if not any(key.startswith(_PREFIXES) for key in raw):
        return Reading()
    readings = [read(table, raw, snippets=snippets) for table in (ANNOTATIONS, *OTHERS)]
    return Reading(
        readings[0].options,
        tuple(problem for reading in readings for problem in reading.problems),
        tuple(remark for reading in readings for remark in reading.remarks),
    )


def read_configmap(raw: Mapping[str, str]) -> Reading:
    """Everything that the main ConfigMap says."""
    return read(CONFIGMAP, raw, snippets=True)
