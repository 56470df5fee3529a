import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, defineRefusals } from 'satchel/plugin'
import * as z from 'zod'

const refusals = defineRefusals({
  image_unknown: {
    code: 'not_found',
    message: '{file} pins no image "{name}".',
    next: 'Use one of {names}.',
  },
})

/** The pinned images of the project: `name:tag` -> digest, from lines `name:tag@sha256:…`. */
async function pinnedImages(file, { root, signal }) {
  const text = await readFile(join(root, file), { encoding: 'utf8', signal })
  const pins = [...text.matchAll(/^(\S+)@(sha256:[0-9a-f]{64})\s*$/gm)]
  return new Map(pins.map(([, name, digest]) => [name, digest]))
}

/** Evidence of a container image: the digest that the project's lock file pins. No registry is asked. */
const image = (file) => ({
  name: 'image',
  takes: `name:tag of an image in ${file}`,
  async capture(named, place) {
    const images = await pinnedImages(file, place)
    const name = String(named)
    const digest = images.get(name)
    if (digest === undefined)
      throw refusals.image_unknown({ file, name: name.slice(0, 80), names: [...images.keys()].join(', ') })
    return { facts: { name, digest }, verdict: 'holds', reason: `${file} pins ${digest.slice(0, 19)}` }
  },
  async verify({ name, digest }, place) {
    const now = (await pinnedImages(file, place)).get(name)
    if (now === undefined) return { verdict: 'contradicted', reason: `${file} no longer pins ${name}` }
    if (now === digest) return { verdict: 'holds', reason: `${file} pins the same digest` }
    return { verdict: 'stale', reason: `${file} now pins ${now.slice(0, 19)}` }
  },
  describe: ({ name }) => `The image ${name} was used`,
})

export default definePlugin({
  name: 'images',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({ file: z.string().default('images.lock').describe('file with the pinned images') }),
  setup: async (_host, { file }) => ({ evidence: [image(file)] }),
})
