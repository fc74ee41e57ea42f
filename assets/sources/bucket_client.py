"""Uses a bucket as programs do that are written with boto3, which takes the server and the keys from AWS_...

    python3 bucket_client.py put BUCKET PREFIX DIRECTORY ACL     upload all files, and make the bucket
    python3 bucket_client.py list BUCKET PREFIX                  print all keys below the prefix
    python3 bucket_client.py get BUCKET PREFIX DIRECTORY         download them
    python3 bucket_client.py read BUCKET KEY FILE                download one object
    python3 bucket_client.py make BUCKET PREFIX                  make the bucket
    python3 bucket_client.py parts BUCKET PREFIX                 print how many parts each unfinished upload has

What the service refuses is a line on standard error, and the exit code is 1.
"""
import os, sys
import boto3, botocore.exceptions
from answers import names_below

action, bucket, prefix, *rest = sys.argv[1:]
s3 = boto3.client("s3")


def keys():
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    return [found["Key"] for page in pages for found in page.get("Contents", [])]


def make(acl="private"):
    if bucket not in [found["Name"] for found in s3.list_buckets()["Buckets"]]:
        place = {"LocationConstraint": os.environ["AWS_DEFAULT_REGION"]}
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration=place, ACL=acl)


def list_parts():
    for upload in s3.list_multipart_uploads(Bucket=bucket, Prefix=prefix).get("Uploads", []):
        found = s3.list_parts(Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
        print(len(found.get("Parts", [])), upload["Key"])


def put(directory, acl):
    make(acl)
    for name in names_below(directory):
        with open(os.path.join(directory, name), "rb") as file:
            s3.put_object(Bucket=bucket, Key=prefix + name, Body=file, ACL=acl)


def get(directory):
    for key in keys():
        path = os.path.join(directory, key.removeprefix(prefix))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(s3.get_object(Bucket=bucket, Key=key)["Body"].read())


def read(path):
    with open(path, "wb") as file:
        file.write(s3.get_object(Bucket=bucket, Key=prefix)["Body"].read())


def list_keys():
    print("\n".join(keys()))


try:
    {"put": put, "list": list_keys, "get": get, "read": read, "make": make, "parts": list_parts}[action](*rest)
except botocore.exceptions.ClientError as error:
    sys.exit(error.response["Error"]["Code"])
