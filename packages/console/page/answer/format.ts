/** Writes a number of bytes for a person. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const unit = bytes < 1e6 ? 'kB' : bytes < 1e9 ? 'MB' : 'GB'
  const divisor = { kB: 1e3, MB: 1e6, GB: 1e9 }[unit]
  return `${(bytes / divisor).toFixed(1)} ${unit}`
}

/** Writes a duration for a person. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`
}
