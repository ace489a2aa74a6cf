/** What watches sizes where nothing has a size? jsdom lays nothing out, so none ever changes. */
export function installSizes(): void {
  window.ResizeObserver = class implements ResizeObserver {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
}
