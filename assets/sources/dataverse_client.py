"""Downloads a dataset with pyDataverse, the client of the Dataverse project.

    python3 dataverse_client.py SERVER DIRECTORY

Tables are downloaded as they were uploaded. A restricted file must be refused.
"""
import os, sys
from pyDataverse.api import DataAccessApi, NativeApi

server, directory = sys.argv[1:]
pid = "doi:10.7910/DVN/TEST"
native, access = NativeApi(server), DataAccessApi(server)
files = native.get_datafiles_metadata(pid, version=":latest-published").json()["data"]
assert files == native.get_dataset(pid).json()["data"]["latestVersion"]["files"]
for file in files:
    content = file["dataFile"]
    form = "original" if content["tabularData"] else None
    answer = access.get_datafile(content["id"], data_format=form, is_pid=False)
    if file["restricted"]:
        assert answer.status_code == 403
        continue
    answer.raise_for_status()
    path = os.path.join(directory, file.get("directoryLabel", ""), content.get("originalFileName", file["label"]))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as copy:
        copy.write(answer.content)
