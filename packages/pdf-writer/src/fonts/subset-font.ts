import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import * as z from 'zod'

// The values of HarfBuzz's `hb_subset_flags_t` and `hb_subset_sets_t`.
const FLAGS = 0x1 | 0x2 // Without hinting, and glyphs keep their ids.
const SETS_DROP_TABLE_TAG = 3

/** Tables that shape text. A PDF file holds shaped glyphs. */
const DROPPED_TABLES = ['GSUB', 'GPOS', 'GDEF', 'STAT', 'meta']

const isFunction = (value: unknown): boolean => typeof value === 'function'

// The types of Node do not have WebAssembly.
const globalSchema = z.object({
  WebAssembly: z.object({
    compile: z.custom<(bytes: Uint8Array) => Promise<object>>(isFunction),
    instantiate:
      z.custom<(module: object, imports: object) => Promise<{ readonly exports: object }>>(
        isFunction,
      ),
  }),
})

const call = z.custom<(...values: number[]) => number>(isFunction)
const exportsSchema = z.object({
  memory: z.custom<{ readonly buffer: ArrayBuffer }>((value) => typeof value === 'object'),
  malloc: call,
  hb_blob_create: call,
  hb_blob_get_data: call,
  hb_blob_get_length: call,
  hb_face_create: call,
  hb_face_reference_blob: call,
  hb_set_add: call,
  hb_subset_input_create_or_fail: call,
  hb_subset_input_glyph_set: call,
  hb_subset_input_set: call,
  hb_subset_input_set_flags: call,
  hb_subset_input_unicode_set: call,
  hb_subset_or_fail: call,
})

/** What a font keeps. */
interface KeptGlyphs {
  readonly glyphs: Iterable<number>
  /** Code points. The font keeps their glyphs too, and finds them by the code points. */
  readonly characters: Iterable<number>
}

/**
 * Returns a font with some of its glyphs. The glyphs keep their ids.
 *
 * @throws an Error if HarfBuzz cannot read the font
 */
export async function subsetFont(
  font: Uint8Array,
  { glyphs, characters }: KeptGlyphs,
): Promise<Uint8Array> {
  // A new instance each time: the memory of an instance never shrinks.
  const { instantiate } = globalSchema.parse(globalThis).WebAssembly
  const library = exportsSchema.parse((await instantiate(await compile(), {})).exports)
  const start = library.malloc(font.length)
  new Uint8Array(library.memory.buffer).set(font, start)
  const READ_ONLY = 1
  const blob = library.hb_blob_create(start, font.length, READ_ONLY, 0, 0)
  const face = library.hb_face_create(blob, 0)
  const input = library.hb_subset_input_create_or_fail()
  library.hb_subset_input_set_flags(input, FLAGS)
  const kept = library.hb_subset_input_glyph_set(input)
  for (const glyph of glyphs) library.hb_set_add(kept, glyph)
  const keptCharacters = library.hb_subset_input_unicode_set(input)
  for (const character of characters) library.hb_set_add(keptCharacters, character)
  const dropped = library.hb_subset_input_set(input, SETS_DROP_TABLE_TAG)
  for (const tag of DROPPED_TABLES) library.hb_set_add(dropped, Buffer.from(tag).readUInt32BE())
  const subset = library.hb_subset_or_fail(face, input)
  if (subset === 0) throw new Error('HarfBuzz cannot make a subset of a font.')
  const result = library.hb_face_reference_blob(subset)
  const [data, length] = [library.hb_blob_get_data(result, 0), library.hb_blob_get_length(result)]
  return new Uint8Array(library.memory.buffer).slice(data, data + length)
}

let compiled: Promise<object> | undefined

function compile(): Promise<object> {
  const file = createRequire(import.meta.url).resolve('harfbuzzjs/dist/harfbuzz-subset.wasm')
  const { WebAssembly: library } = globalSchema.parse(globalThis)
  compiled ??= readFile(file).then((bytes) => library.compile(bytes))
  return compiled
}
