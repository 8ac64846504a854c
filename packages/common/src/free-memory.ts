/**
 * Frees the memory of bytes that nobody needs any more. Without this, the garbage collector walks the complete heap
 * again and again. That took a third of the time of a large report when we measured it.
 */
export function freeMemory(buffer: ArrayBufferLike): void {
  // Few bytes may lie in a pool of Node's that other buffers use too.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
