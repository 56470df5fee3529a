import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Words by meaning: those of one row point the same way. */
const GROUPS = [
  ['network', 'subnet', 'vpc', 'route', 'gateway', 'router'],
  ['database', 'sql', 'postgres', 'mysql', 'table', 'query'],
  ['storage', 'bucket', 'blob', 'file', 'disk', 'object'],
  ['cluster', 'kubernetes', 'node', 'container', 'pod', 'image'],
  ['key', 'secret', 'encrypt', 'vault', 'certificate', 'password'],
]
const SPECIALS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'.split('')
const DIMS = 32

/** The words the model knows as wholes. */
export const WORDS: readonly string[] = GROUPS.flat()

/**
 * Writes a sentence model of about 36 KB into `folder`, the same bytes each time: an ONNX graph that looks up one row per
 * token and masks the padding, with a WordPiece tokenizer beside it. Gives the row of each known word.
 */
export function writeTinyModel(folder: string): { readonly rows: ReadonlyMap<string, readonly number[]> } {
  const vocabulary = [...SPECIALS, ...WORDS, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`)]
  const table = vocabulary.map((token, id) => rowOf(token, id))
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  writeFileSync(join(folder, 'onnx', 'model.onnx'), onnxModel(table))
  const json = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 1)}\n`)
  json('config.json', {
    model_type: 'bert',
    architectures: ['BertModel'],
    hidden_size: DIMS,
    vocab_size: vocabulary.length,
    max_position_embeddings: 512,
  })
  json('tokenizer.json', tokenizer(vocabulary))
  json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    do_lower_case: true,
    model_max_length: 512,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
  })
  return { rows: new Map(vocabulary.map((token, id) => [token, table[id] ?? []])) }
}

/** A direction per group plus a little noise of the word's own; specials are zero. */
function rowOf(token: string, id: number): number[] {
  if (SPECIALS.includes(token)) return Array.from({ length: DIMS }, () => 0)
  const group = GROUPS.findIndex((words) => words.includes(token))
  const direction = seeded(group < 0 ? 1000 + id : group + 1)
  const noise = seeded(id + 5000)
  return Array.from({ length: DIMS }, () => Math.fround(direction() + 0.1 * noise()))
}

/** Numbers between -1 and 1 from a 32-bit xorshift. */
function seeded(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 31 - 1
  }
}

function tokenizer(vocabulary: readonly string[]) {
  const special = (id: number, content: string) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIALS.map((content, id) => special(id, content)),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
        { Sequence: { id: 'B', type_id: 1 } },
        { SpecialToken: { id: '[SEP]', type_id: 1 } },
      ],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  }
}

/* Protocol buffers by hand: the few messages of an ONNX model (onnx.proto3, IR version 8). */

const VARINT = 0
const BYTES = 2

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128)
  return Buffer.from([...bytes, left])
}

const tag = (field: number, wire: number): Buffer => varint(field * 8 + wire)
const number = (field: number, value: number): Buffer => Buffer.concat([tag(field, VARINT), varint(value)])

function bytes(field: number, value: string | Buffer): Buffer {
  const content = Buffer.from(value)
  return Buffer.concat([tag(field, BYTES), varint(content.length), content])
}

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields)

const FLOAT = 1
const INT64 = 7
const OPSET = 14

/** Gather(table, input_ids) * Unsqueeze(Cast(attention_mask)) = last_hidden_state */
function onnxModel(table: readonly (readonly number[])[]): Buffer {
  const weights = Buffer.from(Float32Array.from(table.flat()).buffer)
  const axes = Buffer.alloc(8)
  axes.writeBigInt64LE(2n)
  const graph = message(
    node('Gather', ['word_embeddings', 'input_ids'], 'rows'),
    node('Cast', ['attention_mask'], 'mask', message(bytes(1, 'to'), number(3, FLOAT), number(20, 2))),
    node('Unsqueeze', ['mask', 'axes'], 'column'),
    node('Mul', ['rows', 'column'], 'last_hidden_state'),
    bytes(2, 'tiny'),
    bytes(
      5,
      message(
        number(1, table.length),
        number(1, DIMS),
        number(2, FLOAT),
        bytes(8, 'word_embeddings'),
        bytes(9, weights),
      ),
    ),
    bytes(5, message(number(1, 1), number(2, INT64), bytes(8, 'axes'), bytes(9, axes))),
    bytes(11, valueInfo('input_ids', INT64, ['batch', 'sequence'])),
    bytes(11, valueInfo('attention_mask', INT64, ['batch', 'sequence'])),
    bytes(12, valueInfo('last_hidden_state', FLOAT, ['batch', 'sequence', DIMS])),
  )
  return message(number(1, 8), bytes(7, graph), bytes(8, message(bytes(1, ''), number(2, OPSET))))
}

function node(operator: string, inputs: readonly string[], output: string, attribute?: Buffer): Buffer {
  const fields = [...inputs.map((input) => bytes(1, input)), bytes(2, output), bytes(4, operator)]
  return bytes(1, message(...fields, ...(attribute ? [bytes(5, attribute)] : [])))
}

function valueInfo(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const dimensions = shape.map((size) =>
    bytes(1, typeof size === 'string' ? bytes(2, size) : number(1, size)),
  )
  const tensor = message(number(1, type), bytes(2, message(...dimensions)))
  return message(bytes(1, name), bytes(2, bytes(1, tensor)))
}
