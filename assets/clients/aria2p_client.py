"""aria2p: the library that aria2's terminal front ends are made with, and its listener."""

import os
import threading

import aria2p

from world import SMALL, check, run, until


def body(world):
    client = aria2p.Client(host="http://127.0.0.1", port=world.port, secret=world.secret)
    api = aria2p.API(client)
    told = []
    listener = threading.Thread(
        target=client.listen_to_notifications,
        kwargs=dict(
            on_download_start=lambda gid: told.append(("start", gid)),
            on_download_pause=lambda gid: told.append(("pause", gid)),
            on_download_stop=lambda gid: told.append(("stop", gid)),
            on_download_complete=lambda gid: told.append(("complete", gid)),
            on_download_error=lambda gid: told.append(("error", gid)),
            timeout=1, handle_signals=False),
        daemon=True)
    listener.start()
    check("version", client.get_version()["version"])

    small = api.add_uris([world.origin + "/checked.bin"], options={
        "header": ["X-Ticket: 17"], "dir": os.path.join(world.downloads, "new"),
        "out": "ticket.bin", "checksum": "sha-256=" + sha256(SMALL)})
    until("the file is complete", lambda: api.get_download(small.gid).is_complete)
    small = api.get_download(small.gid)
    check("header, dir, out and checksum", open(small.root_files_paths[0], "rb").read() == SMALL)

    paused = api.add_uris([world.origin + "/big.bin"], options={"pause": "true", "out": "p.bin"})
    check("added paused", api.get_download(paused.gid).is_paused)
    check("unpause", paused.resume())
    until("it is active", lambda: api.get_download(paused.gid).is_active)
    check("pause", paused.pause())
    until("it is paused", lambda: api.get_download(paused.gid).is_paused)

    others = [
        api.add_uris([world.origin + "/big.bin"], options={"pause": "true", "out": f"{n}.bin"})
        for n in range(3)]
    check("move to the top", others[2].move_to_top() is not None)
    check("queue order", [row["gid"] for row in client.tell_waiting(0, 10)][0] == others[2].gid)
    check("move down", client.change_position(others[2].gid, 2, "POS_CUR") == 2)
    check("queue order", [row["gid"] for row in client.tell_waiting(0, 10)][2] == others[2].gid)

    check("change a limit", api.set_options({"max-download-limit": "100K"}, [paused])[0])
    check("the limit", paused.options.max_download_limit == 102400)
    check("global options", api.get_global_options().dir == world.downloads)
    check("statistics", api.get_stats().num_waiting == 4)

    missing = api.add_uris([world.origin + "/missing"])
    until("it failed", lambda: api.get_download(missing.gid).has_failed)
    missing = api.get_download(missing.gid)
    check("its error", (missing.error_code, missing.error_message != "") == ("3", True))
    again = api.retry_downloads([missing], clean=True)
    check("retry", again[0] is True)

    others[0].resume()
    until("it is active", lambda: api.get_download(others[0].gid).is_active)
    check("remove an active one", client.force_remove(others[0].gid) == others[0].gid)
    until("it is listed as removed", lambda: any(
        row["gid"] == others[0].gid and row["status"] == "removed"
        for row in client.tell_stopped(0, 100)))
    check("remove", all(api.remove([paused, others[1], others[2]])))
    check("purge", api.purge())
    check("nothing is left", [row["gid"] for row in client.tell_stopped(0, 100)] == [])

    until("the notifications", lambda: ("complete", small.gid) in told)
    check("told of the end once", told.count(("complete", small.gid)) == 1)
    check("told of the start once", told.count(("start", small.gid)) == 1)
    check("told of the pause once", told.count(("pause", paused.gid)) == 1)
    check("told of the error once", told.count(("error", missing.gid)) == 1)
    check("told of the removal once", told.count(("stop", others[0].gid)) == 1)
    client.stop_listening()


def sha256(data):
    import hashlib
    return hashlib.sha256(data).hexdigest()


run(body)
