import Foundation

@main
enum Program {
  @MainActor static func main() {
    let words = CommandLine.arguments.dropFirst()
    let urls = words.dropFirst().compactMap { URL(string: $0) }
    guard let directory = words.first, !urls.isEmpty, urls.count == words.count - 1 else {
      FileHandle.standardError.write(Data("usage: file-list DIRECTORY URL...\n".utf8))
      exit(2)
    }
    let list = FileList(directory: URL(filePath: directory), urls: urls)
    Task { @MainActor in
      await list.open()
      // A separate thread waits for the next line.
      Thread.detachNewThread {
        while let line = readLine() {
          DispatchQueue.main.async { MainActor.assumeIsolated { list.obey(line) } }
        }
        DispatchQueue.main.async { exit(0) }
      }
    }
    dispatchMain()
  }
}
