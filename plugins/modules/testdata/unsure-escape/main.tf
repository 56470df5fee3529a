variable "path" {
  description = "Windows path C:\data"
  default     = "C:\data"
}
