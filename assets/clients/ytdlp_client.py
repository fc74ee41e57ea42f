"""yt-dlp with `--downloader kettle-aria2c`, whose progress it reads over the RPC."""

import os
import subprocess
import sys

from world import BIG, check, run


def body(world):
    name = os.path.join(world.home, "kettle-aria2c")
    os.symlink(world.program, name)
    place = os.path.join(world.home, "videos")
    os.mkdir(place)
    done = subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "yt-dlp"), "--downloader", name,
         "--no-config", world.origin + "/video.mp4"],
        cwd=place, env=world.environment, capture_output=True, text=True)
    check("it ends well", done.returncode == 0 or print(done.stdout, done.stderr))
    check("it shows progress", "100%" in done.stdout)
    files = os.listdir(place)
    check("one file", len(files) == 1 and files[0].endswith(".mp4"))
    check("the right bytes", open(os.path.join(place, files[0]), "rb").read() == BIG)


run(body)
