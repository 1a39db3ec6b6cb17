"""What an operator's dashboard reads from a replica in a cluster."""

from pathlib import Path

import yaml

from tests.cluster.run.scene import Scene
from tests.support import client
from tests.support.certificates import mismatched, pair
from tests.support.client import handshake
from tests.support.manifests import Manifest, tls_secret

FACTS = Path(__file__).parents[2] / "unit" / "observability" / "nic_metrics.yaml"


async def test_every_metric_of_f5s_controller_is_there_and_counts(scene: Scene) -> None:
    await scene.app("tea")
    await scene.hand.create(scene.route("cafe", "cafe.test", "tea"))
    replica = await scene.replica("-enable-latency-metrics")
    await replica.serves(lambda: replica.backend("cafe.test") == "tea")
    await replica.eventually(lambda: any("upstream_server_response_latency" in name for name in replica.metrics()))
    text = client.ask(replica.metrics_port, "/metrics").body.decode()
    listed = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")}
    wanted = {each["name"] for each in yaml.safe_load(FACTS.read_text())}
    assert wanted - listed == set()
    found = replica.metrics()
    label = f'class="{scene.class_name}"'
    assert found[f'nginx_ingress_controller_ingress_resources_total{{{label},type="regular"}}'] == 1
    assert found[f"nginx_ingress_nginx_up{{{label}}}"] == 1
    assert any('service="tea"' in name and 'resource_name="cafe"' in name for name in found)
    assert found["headgate_leader"] == 1
    assert found['headgate_watch_lists_total{kind="Ingress"}'] == 1


async def test_pages_beside_the_metrics(scene: Scene) -> None:
    replica = await scene.replica("-health-status")
    assert b"/metrics" in client.ask(replica.metrics_port, "/").body
    assert client.ask(replica.metrics_port, "/elsewhere").status == 404
    assert b"Active connections" in client.ask(replica.status_port, "/stub_status").body
    assert replica.ask("/nginx-health", host="whatever.test").body == b"healthy\n"


async def test_a_renewed_pair_is_shown_by_the_metrics_port(scene: Scene) -> None:
    first, second = pair("metrics.test"), pair("metrics.test")
    await scene.hand.create(tls_secret("metrics", first))
    replica = await scene.replica(f"-prometheus-tls-secret={scene.namespace}/metrics")
    assert handshake(replica.metrics_port, "metrics.test").serial_number == first.serial
    await scene.hand.patch(tls_secret("metrics", second), data(tls_secret("metrics", second)))
    await replica.eventually(
        lambda: handshake(replica.metrics_port, "metrics.test").serial_number == second.serial, "the renewed pair"
    )
    broken = tls_secret("metrics", mismatched("metrics.test"))
    await scene.hand.patch(broken, data(broken))
    third = pair("metrics.test")
    await replica.says("Secret", "metrics", "goes on with the pair before")
    assert handshake(replica.metrics_port, "metrics.test").serial_number == second.serial
    await scene.hand.patch(tls_secret("metrics", third), data(tls_secret("metrics", third)))
    await replica.eventually(
        lambda: handshake(replica.metrics_port, "metrics.test").serial_number == third.serial, "a good one again"
    )


def data(secret: Manifest) -> Manifest:
    return {"data": secret["data"]}
