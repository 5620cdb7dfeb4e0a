"""Images and volumes."""

import io
import os

from stage import cloud, own, prefix, step

image, volume = cloud.image, cloud.block_storage
images, volumes = [], []


@step("images are created, one with data")
def _():
    of = {"disk_format": "raw", "container_format": "bare"}
    images.append(image.create_image(name=f"{prefix}-0", data=io.BytesIO(os.urandom(300_000)), wait=True, **of))
    images.extend(image.create_image(name=f"{prefix}-{n}", **of) for n in range(1, 5))
    return len(images)


@step("images by pages")
def _():
    return own(image.images(limit=2))


@step("private images by pages")
def _():
    return own(image.images(limit=2, visibility="private"))


@step("an image is downloaded")
def _():
    return len(image.download_image(images[0]).content)


@step("an image is downloaded as a stream")
def _():
    return sum(len(_) for _ in image.download_image(images[0], stream=True).iter_content(65536))


@step("an image is found by a name in other scripts")
def _():
    return image.find_image(f"{prefix}-0").name


@step("an image gets a tag")
def _():
    image.add_tag(images[0], "t1")
    return image.get_image(images[0].id).tags


@step("the schema of images")
def _():
    return image.get("/schemas/image").status_code


@step("volumes are created")
def _():
    volumes.extend(volume.create_volume(size=1, name=f"{prefix}-v{n}") for n in range(5))
    return [volume.wait_for_status(_, "available", ["error"], 1, 240).status for _ in volumes]


@step("volumes by pages")
def _():
    return own(volume.volumes(limit=2))


@step("volumes by pages, without details")
def _():
    return own(volume.volumes(details=False, limit=2))


@step("a volume is found by a name in other scripts")
def _():
    return volume.find_volume(f"{prefix}-v1").name


@step("a snapshot")
def _():
    snapshot = volume.create_snapshot(volume_id=volumes[0].id, name=f"{prefix}-s")
    return volume.wait_for_status(snapshot, "available", ["error"], 1, 240).status
