"""What a program does with boto3 for the rows of objects.

objects.py ENDPOINT BUCKET JOBS up FILE KEY | down KEY FILE | up-all ROOT PREFIX | down-all PREFIX FOLDER
"""

import concurrent.futures
import os
import sys

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

endpoint, bucket, jobs, verb, first, second = sys.argv[1:7]
jobs = int(jobs)
client = boto3.client(
    "s3", endpoint_url=endpoint, config=Config(max_pool_connections=jobs, s3={"addressing_style": "path"})
)
# The defaults of boto3, but for the number of threads with many objects.
whole = TransferConfig()
single = TransferConfig(use_threads=False)

if verb == "up":
    client.upload_file(first, bucket, second, Config=whole)
elif verb == "down":
    client.download_file(bucket, first, second, Config=whole)
elif verb == "up-all":
    folder = os.path.join(first, second)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(
            lambda name: client.upload_file(f"{folder}/{name}", bucket, f"{second}/{name}", Config=single),
            os.listdir(folder),
        ):
            pass
else:
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{first}/")
    keys = [each["Key"] for page in pages for each in page.get("Contents", [])]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(
            lambda key: client.download_file(bucket, key, f"{second}/{os.path.basename(key)}", Config=single), keys
        ):
            pass
