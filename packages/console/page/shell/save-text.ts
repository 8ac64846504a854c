/** Saves a text as a file of the person's machine. */
export function saveText(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type }))
}

/** Saves bytes as a file of the person's machine. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the bytes after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
