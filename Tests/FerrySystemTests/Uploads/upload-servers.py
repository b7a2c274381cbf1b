"""Looks at servers of uploads with the clients of others.

    upload-servers.py open PORT             makes the bucket of a store, if there is none, and an object in it
    upload-servers.py get PORT KEY FILE     downloads an object of the bucket
    upload-servers.py parts PORT            prints the uploads in parts that are not finished
    upload-servers.py sessions PORT         prints the uploads by tus that SeaweedFS has not finished
    upload-servers.py rows FILE             prints the uploads that the package resumable-upload has not finished
"""
import json
import sqlite3
import sys
import urllib.request


def store(port):
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
    )


def open_store(port):
    client = store(port)
    if "bucket" not in [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]:
        client.create_bucket(Bucket="bucket")
    client.put_object(Bucket="bucket", Key="first", Body=b"x")


def parts(port):
    for upload in store(port).list_multipart_uploads(Bucket="bucket").get("Uploads", []):
        print(upload["Key"], upload["UploadId"])


def sessions(port):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/.uploads.tus/", headers={"Accept": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        for entry in json.load(answer)["Entries"] or []:
            print(entry["FullPath"])


def rows(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    for row in database.execute("SELECT * FROM uploads WHERE NOT completed"):
        print(row)


command, *rest = sys.argv[1:]
if command == "open":
    open_store(*rest)
elif command == "get":
    store(rest[0]).download_file("bucket", rest[1], rest[2])
elif command == "parts":
    parts(*rest)
elif command == "sessions":
    sessions(*rest)
elif command == "rows":
    rows(*rest)
else:
    sys.exit(f"unknown: {command}")
