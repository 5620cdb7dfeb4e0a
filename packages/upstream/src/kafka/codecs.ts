import kafkajs from "kafkajs"
import { promisify } from "node:util"
import { unzip, zstdDecompress } from "node:zlib"
import { unlz4 } from "./lz4.ts"
import { unsnappy } from "./snappy.ts"

/**
 * The most that a batch may have when it is decompressed, in bytes. A batch is usually smaller than a megabyte; one of
 * a megabyte of zstd can have a thousand times as much, and would take the process's memory.
 */
export const maxDecompressed = 16 * 1024 * 1024

/** The library reads gzip only, and without a limit. These read every codec of Kafka. */
export const registerCodecs = (): void => {
  const { GZIP, LZ4, Snappy, ZSTD } = kafkajs.CompressionTypes
  const options = { maxOutputLength: maxDecompressed }
  Object.assign(kafkajs.CompressionCodecs, {
    [GZIP]: codecOf((bytes) => promisify(unzip)(bytes, options)),
    [ZSTD]: codecOf((bytes) => promisify(zstdDecompress)(bytes, options)),
    [Snappy]: codecOf(async (bytes) => unsnappy(bytes, maxDecompressed)),
    [LZ4]: codecOf(async (bytes) => unlz4(bytes, maxDecompressed))
  })
}

/** The gateway compresses nothing that it sends. */
const codecOf = (decompress: (bytes: Buffer) => Promise<Buffer | undefined>) => () => ({
  decompress: (bytes: Buffer) => decompress(bytes).then((content) => content ?? fillers(), fillers)
})

/** The most records of a batch that cannot be read. The library cannot read batches of more. */
const maxRecords = 100_000

let made: Buffer | undefined

/**
 * Stands for a batch that cannot be read: the library takes as many records from it as the batch has. Each is at its
 * place, and without a key and a value, so that the receiver refuses it and goes on behind it.
 */
const fillers = (): Buffer => (made ??= Buffer.concat(Array.from({ length: maxRecords }, (_, n) => filler(n))))

const filler = (place: number): Buffer => {
  // Attributes, timestamp, offset, no key, no value, no headers.
  const fields = [0, 0, ...varint(place), 1, 1, 0]
  return Buffer.from([...varint(fields.length), ...fields])
}

/** Zigzag, of a number that is not negative. */
const varint = (value: number): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  let left = value * 2
  for (; left >= 0x80; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return [...bytes, left]
}
