/**
 * What does the engine say of a turn? A copy of its stream, kept by the browser while the page reads.
 * The page's seeds are the same in every turn, so the answers are, too.
 */
(() => {
  crypto.getRandomValues = (numbers) => numbers.fill(7);
  const fetched = window.fetch.bind(window);
  window.fetch = async (path, init) => {
    const response = await fetched(path, init);
    if (String(path).endsWith("/v1/chat/completions")) window.museStream = response.clone().text();
    return response;
  };
})();
