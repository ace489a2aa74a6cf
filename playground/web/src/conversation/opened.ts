/**
 * What does a test have in hand that has opened the page? The store, its world, and short words for
 * what a person does and sees.
 */

import type { AssistantMessage, State } from "./model";
import { createPlayground } from "./playground";
import { settle, TestWorld } from "./testing";

export const RESET = "POST /v1/sessions/*/reset";
export const CLOSE = "DELETE /v1/sessions/*";
export const TURN = "POST /v1/chat/completions";
export const CANCEL = "POST /api/cancel";

export async function openPage(world = new TestWorld()) {
  const playground = createPlayground(world);
  await settle();
  const { server } = world;
  const { actions } = playground;
  const state = () => playground.getState();
  return {
    world,
    server,
    playground,
    actions,
    state,
    answer: () => lastAnswer(state()),
    texts: () => state().messages.map(({ text }) => text),
    notices: () => state().notices.map(({ text }) => text),
    /** Send, and let the server begin to answer. */
    say: async (text: string) => {
      actions.setDraft(text);
      void actions.send();
      await settle();
      return server.turn;
    },
    /** A question, and its answer to the end. */
    exchange: async (question: string, text: string) => {
      actions.setDraft(question);
      const sending = actions.send();
      await settle();
      server.turn.answer(text).done();
      await sending;
    },
  };
}

function lastAnswer(state: State): AssistantMessage {
  const message = state.messages.at(-1);
  if (message?.role !== "assistant") throw new Error("the last message is no answer");
  return message;
}
