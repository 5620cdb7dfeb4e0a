import { wordsOf } from "../words/words.ts"

export const words = wordsOf(
  {
    keys: "Key pairs",
    about: "SSH keys that new servers let in. They are yours alone, not your project's.",
    import: "Import a public key",
    imported: "The key pair is imported.",
    none: "No key pairs yet",
    noneText: "Import the public key of your computer, so that new servers let you in.",
    name: "Name",
    fingerprint: "Fingerprint",
    publicKey: "Public key",
    publicKeyHelp: "One line, such as the content of ~/.ssh/id_ed25519.pub. The private key stays with you.",
    delete: "Delete",
    deleteTitle: (name: string) => `Delete ${name}`,
    deleteText: "Servers that have the key keep it. New servers cannot be given it any more.",
    deleted: "The key pair is deleted."
  },
  {
    keys: "Schlüsselpaare",
    about: "SSH-Schlüssel, die neue Server einlassen. Sie gehören nur Ihnen, nicht Ihrem Projekt.",
    import: "Öffentlichen Schlüssel importieren",
    imported: "Das Schlüsselpaar ist importiert.",
    none: "Noch keine Schlüsselpaare",
    noneText: "Importieren Sie den öffentlichen Schlüssel Ihres Rechners, damit neue Server Sie einlassen.",
    name: "Name",
    fingerprint: "Fingerabdruck",
    publicKey: "Öffentlicher Schlüssel",
    publicKeyHelp: "Eine Zeile, etwa der Inhalt von ~/.ssh/id_ed25519.pub. Der private Schlüssel bleibt bei Ihnen.",
    delete: "Löschen",
    deleteTitle: (name: string) => `${name} löschen`,
    deleteText: "Server, die den Schlüssel haben, behalten ihn. Neue Server können ihn nicht mehr erhalten.",
    deleted: "Das Schlüsselpaar ist gelöscht."
  }
)
