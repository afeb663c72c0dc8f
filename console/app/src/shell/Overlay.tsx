// A dialog over the page. While it is open, it receives all keys.
import type { ReactNode } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { OVERLAY } from "../keys/KeyProvider";

export function Overlay(props: { label: string; wide?: boolean; onClose: () => void; children: ReactNode }) {
  return (
    <ModalOverlay
      {...OVERLAY}
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) props.onClose();
      }}
      className="overlay"
    >
      <Modal className={props.wide === true ? "sheet sheet-wide" : "sheet"}>
        <Dialog aria-label={props.label} className="flex min-h-0 flex-col outline-none">
          {props.children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
