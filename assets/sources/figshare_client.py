"""Downloads an article with figshare-oai-pmh, whose module was generated from figshare's description of its API.

    python3 figshare_client.py SERVER DIRECTORY

It checks the type of each field of a file. Other clients ask for the first ten files alone.
"""
import json, pathlib, sys
from figshare_cli.cli import _download
from openapi_client import ApiClient, ArticlesApi, Configuration

server, directory = sys.argv[1:]
api = ArticlesApi(ApiClient(Configuration(host=server + "/v2")))
# Its class for an article has no folders.
article = json.loads(api.article_details_without_preload_content(2000005).data)
page = 1
while files := api.article_version_files(2000005, article["version"], page=page, page_size=1000):
    for file in files:
        if not file.is_link_only:
            folder = article["folder_structure"].get(str(file.id), "")
            _download(file.download_url, pathlib.Path(directory, folder, file.name), file.computed_md5)
    page += 1
