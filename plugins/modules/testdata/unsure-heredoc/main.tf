variable "mixed" {
  default = <<-EOT
    spaces
	tab
  EOT
}
