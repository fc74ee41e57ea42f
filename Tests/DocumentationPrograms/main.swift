import Foundation

// Runs one program of the documentation, as a reader would run it as `main.swift`.
guard CommandLine.arguments.count == 2, let program = programs[CommandLine.arguments[1]] else {
  print("usage: documentation-program NAME, one of:", programs.keys.sorted().joined(separator: " "))
  exit(2)
}
switch program {
case .plain(let run): try run()
case .waiting(let run):
  Task {
    do {
      try await run()
      exit(0)
    } catch {
      print("error: \(error.localizedDescription)")
      exit(1)
    }
  }
  dispatchMain()
}
