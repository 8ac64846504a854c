import { useSignal } from '@preact/signals'

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for screen readers. The button shows it if `isLong`. */
  readonly name: string
  readonly isLong?: boolean
}

export function CopyButton({ text, name, isLong = false }: CopyButtonProps) {
  const copied = useSignal<string | undefined>(undefined)
  const isCopied = copied.value === text
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    copied.value = text
  }
  return (
    <button type="button" class="small" onClick={copy}>
      {isCopied ? 'Copied' : isLong ? name : 'Copy'}
      {(!isLong || isCopied) && <span class="hidden"> {name}</span>}
    </button>
  )
}
