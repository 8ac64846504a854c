import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Returns a reference for an element, and the element's width in pixels. */
export function useWidth<E extends HTMLElement>() {
  const ref = useRef<E>(null)
  const width = useSignal(0)
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => (width.value = element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [width])
  return { ref, width: width.value }
}
