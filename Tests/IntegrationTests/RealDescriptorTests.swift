import Foundation
import KettleModel
import Testing
import TestSupport

/// How the real service uses descriptors, according to strace(1).
@Suite(
  .serialized, .enabled(if: Tracer.isThere, "strace is not installed"), .timeLimit(.minutes(3)))
struct RealDescriptorTests {
  @Test func `a start, 20 downloads and a stop never use a closed descriptor`() async throws {
    let home = try KettleHome()
    let origin = try ScriptedOrigin()
    let trace = home.path + "/trace"
    // With the path of each open descriptor (-y).
    let service = try await ChildService(
      home, behind: "strace -f -qq -y -o '\(trace)' -e trace=close,fcntl -e signal=none")
    var urls: [String] = []
    for number in 0..<20 {
      // Small files are received in memory, large ones directly to the disk over several
      // connections.
      let byteCount: Int64 = number.isMultiple(of: 2) ? 100_000 : 3_000_000
      let body = SeededBody(seed: UInt64(number), byteCount: byteCount)
      origin.serve(OriginBehavior(body), at: "/\(number).bin")
      urls.append(try origin.url("/\(number).bin").text)
    }
    #expect(try await home.run(KettleHome.program, ["add"] + urls).code == 0)
    #expect(try await home.kettle("wait", "--all", "--timeout", "90").code == 0)
    #expect(try await home.rows().count { $0["state"] as? String == "completed" } == 20)
    #expect(try await home.kettle("daemon", "stop").code == 0)
    #expect(await service.end().status == 0)
    let calls = Self.calls(in: try String(contentsOfFile: trace, encoding: .utf8))
    #expect(calls.count { $0.contains("close(") } > 20)
    let bad = calls.filter { $0.contains("EBADF") }
    #expect(bad.isEmpty, "\(bad.count): \(bad.prefix(5))")
  }

  /// Joins the halves of calls that another thread's call has interrupted in the trace.
  private static func calls(in trace: String) -> [String] {
    let mark = " <unfinished ...>"
    var begun: [Substring: String] = [:]
    return trace.split(separator: "\n").compactMap { line in
      guard let thread = line.split(separator: " ").first else { return nil }
      if line.hasSuffix(mark) {
        begun[thread] = String(line.dropLast(mark.count))
        return nil
      }
      guard line.contains(" resumed>"), let first = begun.removeValue(forKey: thread) else {
        return String(line)
      }
      return first + line
    }
  }
}
