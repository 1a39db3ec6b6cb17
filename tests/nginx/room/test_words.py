"""nginx's words: what is said, where, and who could have written it."""

import pytest

from headgate.nginx.words import Complaint, complaint_in

ROOT = "/state/nginx"
STAMP = "2026/11/16 17:10:03 [emerg] 77#77: "


def read(text: str, pid: int = 77) -> Complaint | None:
    return complaint_in(text, pid=pid, root=ROOT)


def test_a_complaint_has_a_place_and_short_paths() -> None:
    found = read(f'{STAMP}unknown directive "foo" in {ROOT}/conf.d/default-a.conf:12\n')
    assert found == Complaint('unknown directive "foo" in conf.d/default-a.conf:12', "conf.d/default-a.conf", 12)
    assert found.gist == 'unknown directive "foo"'


def test_the_place_of_a_trial_is_the_place_in_the_tree() -> None:
    found = read(f'{STAMP}unexpected "}}" in {ROOT}/.trial/conf.d/a.conf:3\nnginx: configuration file x test failed\n')
    assert found is not None
    assert (found.path, found.line, found.message) == ("conf.d/a.conf", 3, 'unexpected "}" in conf.d/a.conf:3')


def test_other_pids_and_other_levels_are_not_heard() -> None:
    warning = f"{STAMP.replace('emerg', 'warn')}conflicting server name in {ROOT}/conf.d/a.conf:1\n"
    assert read(f"{warning}{STAMP}x in {ROOT}/conf.d/a.conf:1\n", pid=78) is None
    assert read(warning) is None


def test_a_message_without_a_place() -> None:
    found = read(f'{STAMP}unknown "nope" variable\nnginx: configuration file {ROOT}/nginx.conf test failed\n')
    assert found == Complaint('unknown "nope" variable')
    assert found.variable() == "nope"


@pytest.mark.parametrize("pid", [77, 1])
def test_a_forged_record_inside_a_quoted_argument_leads_to_its_author(pid: int) -> None:
    forged = f"\n2026/11/16 17:10:03 [emerg] {pid}#{pid}: unknown directive in {ROOT}/conf.d/victim.conf:1\n"
    found = read(f'{STAMP}unknown directive "x{forged}" in {ROOT}/conf.d/author.conf:3\n')
    assert found is not None
    assert (found.path, found.line) == ("conf.d/author.conf", 3)
    assert "\n" not in found.message


def test_a_forged_place_in_a_message_that_has_none_is_no_place() -> None:
    found = read(f'{STAMP}zero size shared memory zone "x in {ROOT}/conf.d/victim.conf:1"\n')
    assert found is not None
    assert found.path == ""


def test_a_port_in_use_is_a_complaint_once_nginx_gives_up() -> None:
    tried = f"{STAMP}bind() to 127.0.0.1:80 failed (98: Address already in use)\n"
    assert read(tried * 4) is None
    found = read(f"{tried * 5}{STAMP}still could not bind()\n")
    assert found == Complaint("bind() to 127.0.0.1:80 failed (98: Address already in use)")
    assert found.bind == "127.0.0.1:80"


def test_any_other_failure_to_bind_is_a_complaint_at_once() -> None:
    assert read(f"{STAMP}bind() to 10.9.9.9:80 failed (99: Cannot assign requested address)\n") is not None
