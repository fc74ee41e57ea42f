import KettleModel
import Testing

@testable import KettleCurl

struct UploadProgressTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  @Test func `progress is reported at most ten times a second and at the end`() {
    var progress = UploadProgress(byteCount: 1000)
    #expect(progress.record(10, at: time(0)) == 10)
    #expect(progress.record(20, at: time(99)) == nil)
    #expect(progress.record(30, at: time(100)) == 30)
    #expect(progress.record(990, at: time(150)) == nil)
    #expect(!progress.isWhole)
    #expect(progress.record(1000, at: time(151)) == 1000)
    #expect(progress.isWhole)
    #expect(progress.record(1000, at: time(900)) == nil)
    #expect(progress.takeUnreported(at: time(901)) == nil)
  }

  @Test func `unreported progress is reported before other events`() {
    var progress = UploadProgress(byteCount: 1000)
    #expect(progress.record(10, at: time(0)) == 10)
    #expect(progress.record(20, at: time(1)) == nil)
    #expect(progress.takeUnreported(at: time(2)) == 20)
    #expect(progress.takeUnreported(at: time(3)) == nil)
  }

  @Test func `the progress of a body that starts over is reported again`() {
    var progress = UploadProgress(byteCount: 1000)
    #expect(progress.record(1000, at: time(0)) == 1000)
    #expect(progress.record(0, at: time(200)) == 0)
    #expect(!progress.isWhole)
    #expect(progress.record(1000, at: time(250)) == 1000)
  }
}
