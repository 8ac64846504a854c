import type { EngineChunk } from '@counterfoil/engine'

/** Joins the chunks of a result to texts of complete lines. Each text but the last has at least `lengthMin` characters. */
export async function* joinLines(
  chunks: AsyncIterable<Pick<EngineChunk, 'bytes'>>,
  lengthMin: number,
): AsyncGenerator<string, void> {
  let text = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const { bytes } of chunks) {
    text += decoder.decode(bytes, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    if (end < lengthMin) continue
    yield text.slice(0, end)
    text = text.slice(end)
  }
  text += decoder.decode()
  if (text !== '') yield text
}
