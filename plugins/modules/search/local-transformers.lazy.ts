import { env, type FeatureExtractionPipeline, pipeline } from '@huggingface/transformers'
import { refusals } from '../reasons.ts'
import { type Embedder, normalized } from './embedder.ts'

const BATCH_TEXTS = 16

/** The source of a model: a folder that is used offline only, or a name that the library may download once. */
export type ModelPlace =
  | { readonly kind: 'folder'; readonly parent: string; readonly name: string }
  | { readonly kind: 'name'; readonly id: string; readonly cacheDir: string }

/**
 * Opens a local model: mean-pooled, normalised sentence vectors on the CPU. `fp32` is always named, because it decides
 * which file of the model is read.
 * Errors: `unavailable`/`model_unavailable` with the folder looked in and the two remedies.
 */
export async function openLocalTransformers(place: ModelPlace, model: string): Promise<Embedder> {
  const extract = await load(place, model)
  let dims: number | undefined
  return {
    strategy: 'local-transformers',
    model,
    get dims() {
      return dims
    },
    async embed(texts, _role, signal) {
      const vectors: { vector: Float32Array }[] = []
      for (let from = 0; from < texts.length; from += BATCH_TEXTS) {
        signal.throwIfAborted()
        const output = await extract([...texts.slice(from, from + BATCH_TEXTS)], {
          pooling: 'mean',
          normalize: true,
        })
        for (const row of output.tolist() as number[][]) {
          const vector = normalized(row)
          if (!vector) throw new TypeError('the model answered numbers that are not finite')
          vectors.push({ vector })
        }
        dims ??= vectors[0]?.vector.length
      }
      return vectors
    },
    close: async () => {
      await extract.dispose()
    },
  }
}

async function load(place: ModelPlace, model: string): Promise<FeatureExtractionPipeline> {
  if (place.kind === 'folder') {
    env.allowRemoteModels = false
    env.localModelPath = place.parent
  } else {
    env.allowRemoteModels = true
    env.cacheDir = place.cacheDir
  }
  const id = place.kind === 'folder' ? place.name : place.id
  try {
    return await pipeline('feature-extraction', id, { dtype: 'fp32', device: 'cpu' })
  } catch (cause) {
    const looked = place.kind === 'folder' ? `${place.parent}/${place.name}` : place.cacheDir
    throw refusals.model_unavailable({ model, place: looked }, { cause })
  }
}
