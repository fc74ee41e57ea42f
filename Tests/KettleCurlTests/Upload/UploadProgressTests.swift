import KettleModel
import Testing

@testable import KettleCurl

struct UploadProgressTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  @Test func `it is told ten times a second at most, and at the end`() {
    var progress = UploadProgress(byteCount: 1000)
    #expect(progress.note(10, at: time(0)) == 10)
    #expect(progress.note(20, at: time(99)) == nil)
    #expect(progress.note(30, at: time(100)) == 30)
    #expect(progress.note(990, at: time(150)) == nil)
    #expect(!progress.isWhole)
    #expect(progress.note(1000, at: time(151)) == 1000)
    #expect(progress.isWhole)
    #expect(progress.note(1000, at: time(900)) == nil)
    #expect(progress.untold(at: time(901)) == nil)
  }

  @Test func `what was kept back is told before something else is`() {
    var progress = UploadProgress(byteCount: 1000)
    #expect(progress.note(10, at: time(0)) == 10)
    #expect(progress.note(20, at: time(1)) == nil)
    #expect(progress.untold(at: time(2)) == 20)
    #expect(progress.untold(at: time(3)) == nil)
  }

  @Test func `a body that begins anew is told again`() {
    var progress = UploadProgress(byteCount: 1000)
    #expect(progress.note(1000, at: time(0)) == 1000)
    #expect(progress.note(0, at: time(200)) == 0)
    #expect(!progress.isWhole)
    #expect(progress.note(1000, at: time(250)) == 1000)
  }
}
