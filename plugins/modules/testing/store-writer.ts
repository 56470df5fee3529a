/** A process of its own that writes one record at a time: `store-writer.ts FOLDER FROM COUNT`. */

import { HEADER, item } from '../../../plugins/modules/testing/store-items.ts'
import { embeddingOptions } from '../config.ts'
import { openStore } from '../search/open-store.ts'

const [folder = '', from = '0', count = '0'] = process.argv.slice(2)
const store = await openStore(embeddingOptions.parse({ vectordb_path: folder }), folder)
for (let n = Number(from); n < Number(from) + Number(count); n++) {
  await store.apply(HEADER, { upsert: [item(n)], touch: [], remove: [] })
  process.send?.(n)
}
process.disconnect?.()
