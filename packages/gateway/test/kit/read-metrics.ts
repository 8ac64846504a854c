/** The samples of a text in Prometheus' format, by name and labels as written. */
export type Samples = Readonly<Record<string, number>>

/** Reads the metrics of a gateway. */
export async function readMetrics(port: number): Promise<Samples> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  if (response.status !== 200) throw new Error(`expected metrics, got ${response.status}`)
  const lines = (await response.text()).split('\n').filter((line) => /^[^#]/.test(line))
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value] = /^(.*) (\S+)$/.exec(line) ?? []
      return [name, Number(value)]
    }),
  )
}
