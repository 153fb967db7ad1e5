// Pictures and videos of the view.

import { download, iconButton } from '../dom';

/** Kinds of videos, best first: browsers differ in what they write. */
const KINDS: [string, string][] = [
  ['video/webm;codecs=vp9', 'webm'],
  ['video/webm', 'webm'],
  ['video/mp4', 'mp4'],
];

/** A button that starts and ends a recording of a canvas. */
export function recordButton(
  canvas: HTMLCanvasElement,
  say: (text: string, level?: string) => void,
): HTMLButtonElement {
  let recorder: MediaRecorder | null = null;
  const button = iconButton(
    'record',
    'Record a video',
    () => {
      if (recorder) {
        recorder.stop();
        return;
      }
      const kind =
        typeof MediaRecorder === 'undefined'
          ? undefined
          : KINDS.find(([k]) => MediaRecorder.isTypeSupported(k));
      if (!kind) {
        say('This browser cannot record videos', 'error');
        return;
      }
      const chunks: Blob[] = [];
      recorder = new MediaRecorder(canvas.captureStream(30), {
        mimeType: kind[0],
        videoBitsPerSecond: 8_000_000,
      });
      recorder.ondataavailable = (e) => chunks.push(e.data);
      recorder.onstop = () => {
        download(`kreisel.${kind[1]}`, new Blob(chunks, { type: kind[0] }));
        recorder = null;
        label('Record a video');
      };
      recorder.start();
      label('Stop recording');
      say('Recording; press the button again to stop');
    },
    'record',
  );
  const label = (text: string) => {
    button.classList.toggle('on', recorder !== null);
    button.title = text;
    button.setAttribute('aria-label', text);
  };
  return button;
}
