/**
 * What this plugin uses of the optional peer `@huggingface/transformers`, which is not installed where the sources are
 * compiled; see test/peers. The tests run against the package itself.
 */
declare module '@huggingface/transformers' {
  export const env: { allowRemoteModels: boolean; localModelPath: string; cacheDir: string }

  export interface FeatureExtractionPipeline {
    (texts: string[], options: { pooling: 'mean'; normalize: boolean }): Promise<{ tolist(): unknown }>
    dispose(): Promise<unknown>
  }

  export function pipeline(
    task: 'feature-extraction',
    model: string,
    options: { dtype: 'fp32'; device: 'cpu' },
  ): Promise<FeatureExtractionPipeline>
}
